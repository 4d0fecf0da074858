package health

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
)

// now is when the tests look.
var now = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

var repairs = Repairs{
	Run: "RUN", Renew: "RENEW",
	Lost: func(host string) string { return "LOST " + host },
	Log:  func(node string) string { return "LOG " + node },
}

// cluster is what is read of a cluster with three controllers that is as declared.
func cluster() engine.Status {
	return engine.Status{
		Hosts: []engine.HostStatus{
			{Host: "c1", Answers: true, Message: "answers"}, {Host: "c2", Answers: true, Message: "answers"}, {Host: "w1", Answers: true, Message: "answers"},
			{Host: "nyctea", Answers: true, Message: "answers"}, {Host: "tyto", Answers: true, Message: "answers"},
		},
		Stages: []engine.StageStatus{{Stage: "network", InPlace: 10}, {Stage: "verify", InPlace: 5}},
		Observed: map[string]string{
			placesOutput: `{"cluster":"k8s","hypervisors":["nyctea","tyto"],"services":["nyctea"],"containers":{"dns":"kinit-k8s-dns","web":"kinit-k8s-web"},
				"nodes":[{"name":"c1","pool":"controller","hypervisor":"nyctea","address":"10.0.0.1"},{"name":"c2","pool":"controller","hypervisor":"tyto","address":"10.0.0.2"},
				{"name":"w1","pool":"compute","hypervisor":"tyto","address":"10.0.0.3"}]}`,
			servicesOutput: `{"nyctea":[["kinit-k8s-dns","Up 4 minutes ago (healthy)","bind9:1"],["kinit-k8s-web","Up 4 minutes ago (healthy)","nginx:1"]]}`,
			nodesOutput: `{"nyctea":{"version":"v1.34.4","lines":[
				["node","c1","v1.34.4","containerd://1.6","Debian 12","-","True","KubeletReady"],["node","c2","v1.34.4","containerd://1.6","Debian 12","-","True","KubeletReady"],
				["node","w1","v1.34.4","containerd://1.6","Debian 12","-","True","KubeletReady"],["pod","etcd-c1","c1","r/etcd:3.6.5-0","true"],["W0301 a warning of kubectl"],[]]}}`,
			etcdOutput:        `{"c1":{"health":"true","id":"a","version":"3.6.5","leader":"1","learner":"0","bytes":"2.5e+06","peer-b":"1"},"c2":{"health":"true","id":"b","version":"3.6.5","leader":"0","learner":"0","bytes":"2.5e+06","peer-a":"1"}}`,
			ownCertificates:   `{"nyctea":[{"path":"/k/pki/ca.crt","subject":"CN=k8s services","authority":true,"not_before":"2025-01-01T00:00:00Z","not_after":"2035-01-01T00:00:00Z"}]}`,
			nodesCertificates: `{"c1":[{"path":"/etc/kubernetes/pki/apiserver.crt","subject":"CN=kube-apiserver","authority":false,"not_before":"2025-01-01T00:00:00Z","not_after":"2026-01-01T12:00:00Z"}]}`,
		},
	}
}

func of(t *testing.T, s engine.Status) Status {
	t.Helper()
	status, err := Of(s, "k8s-podman-2-1-2", repairs, now)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func TestAClusterAsDeclaredFitsOnOneScreen(t *testing.T) {
	t.Parallel()
	status := of(t, cluster())
	want := `Cluster k8s  v1.34.4  as declared
HOST    STATUS   POOL        ON      NODE   VERSION  ETCD
c1      answers  controller  nyctea  Ready  v1.34.4  healthy, leader, 3.6.5, 3 MiB
c2      answers  controller  tyto    Ready  v1.34.4  healthy, 3.6.5, 3 MiB
w1      answers  compute     tyto    Ready  v1.34.4
nyctea  answers
tyto    answers

services      dns healthy, web healthy on nyctea
control plane 1 of 1 ready: etcd:3.6.5-0
nodes run     containerd://1.6 on Debian 12
certificates  2, the first ends in 306 days: /etc/kubernetes/pki/apiserver.crt on c1
tasks         15 in place, 0 to do, 0 failed`
	if diff := cmp.Diff(want, strings.Join(status.Lines(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !status.AsDeclared {
		t.Error("it is not as declared")
	}
}

func TestWhatDiffersIsNamedWithItsPlaceAndItsRepair(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(s *engine.Status)
		want   []Difference
	}{
		{"a task", func(s *engine.Status) {
			s.Differences = []engine.Difference{{Task: "task.copy.a", Host: "nyctea", Steps: []string{"write /a\n-x\n+y"}, Range: hcl.Range{Filename: "site.hcl", Start: hcl.Pos{Line: 7}}}}
		}, []Difference{{Kind: "task", Name: "task.copy.a", Host: "nyctea", Detail: []string{"write /a"}, Place: "site.hcl:7", Repair: "RUN"}}},
		{"a task that waits for others", func(s *engine.Status) {
			s.Differences = []engine.Difference{{Task: "task.copy.a", Host: "nyctea", Pending: true, Range: hcl.Range{Filename: "site.hcl", Start: hcl.Pos{Line: 7}}}}
		}, []Difference{{Kind: "task", Name: "task.copy.a", Host: "nyctea", Detail: []string{"its changes are known only after other tasks"}, Place: "site.hcl:7", Repair: "RUN"}}},
		{"a task that changes by its changed_when", func(s *engine.Status) {
			s.Differences = []engine.Difference{{Task: "task.command.a", Host: "nyctea", Range: hcl.Range{Filename: "site.hcl", Start: hcl.Pos{Line: 7}}}}
		}, []Difference{{Kind: "task", Name: "task.command.a", Host: "nyctea", Detail: []string{"it changes something, as its changed_when says"}, Place: "site.hcl:7", Repair: "RUN"}}},
		{"a silent hypervisor with its nodes", func(s *engine.Status) {
			for _, i := range []int{1, 2, 4} {
				s.Hosts[i].Answers, s.Hosts[i].Message = false, "unreachable: no answer within 4s"
			}
			delete(s.Observed, nodesOutput)
		}, []Difference{{Kind: "host", Name: "tyto", Host: "tyto", Detail: []string{"unreachable: no answer within 4s", "on it are c2, w1"}, Repair: "LOST tyto", Broken: true}}},
		{"a silent node", func(s *engine.Status) {
			s.Hosts[2].Answers, s.Hosts[2].Message = false, "unreachable"
		}, []Difference{{Kind: "host", Name: "w1", Host: "w1", Detail: []string{"unreachable"}, Repair: "RUN", Broken: true}}},
		{"nodes", func(s *engine.Status) {
			s.Observed[nodesOutput] = `{"nyctea":{"version":"v1.34.4","lines":[["node","c1","v1.33.0","r","s","unschedulable","True","KubeletReady"],["node","c2","v1.34.4-eks-1","r","s","-","Unknown","NodeStatusUnknown"]]}}`
		}, []Difference{
			{Kind: "node", Name: "c1", Host: "c1", Detail: []string{"it is cordoned: it takes no new pods", "its kubelet has version v1.33.0, and v1.34.4 is declared"}, Repair: "RUN"},
			{Kind: "node", Name: "c2", Host: "c2", Detail: []string{"it is not Ready: NodeStatusUnknown"}, Repair: "LOG c2", Broken: true},
			{Kind: "node", Name: "w1", Host: "w1", Detail: []string{"the cluster does not have it"}, Repair: "RUN"},
		}},
		{"an API server that does not answer", func(s *engine.Status) {
			s.Observed[nodesOutput] = `{"nyctea":{"version":"v1.34.4","lines":[["error","Unable to connect to the server: EOF"]]}}`
		}, []Difference{{Kind: "api", Name: "k8s", Host: "nyctea", Detail: []string{"the API server does not answer as it should: Unable to connect to the server: EOF"}, Repair: "RUN", Broken: true}}},
		{"a component", func(s *engine.Status) {
			s.Observed[nodesOutput] = strings.Replace(s.Observed[nodesOutput], `3.6.5-0","true"`, `3.6.5-0","false"`, 1)
		}, []Difference{{Kind: "component", Name: "etcd-c1", Host: "c1", Detail: []string{"it is not ready"}, Repair: "LOG c1", Broken: true}}},
		{"members of etcd", func(s *engine.Status) {
			s.Observed[etcdOutput] = `{"c1":{"health":"false"},"c2":{}}`
		}, []Difference{
			{Kind: "etcd", Name: "c1", Host: "c1", Detail: []string{"the member of etcd is unhealthy"}, Repair: "LOG c1", Broken: true},
			{Kind: "etcd", Name: "c2", Host: "c2", Detail: []string{"the member of etcd is silent"}, Repair: "LOG c2", Broken: true},
		}},
		{"services", func(s *engine.Status) {
			s.Observed[servicesOutput] = `{"nyctea":[["kinit-k8s-dns","Up 1 hour ago (unhealthy)","b"],["kinit-k8s-web","Exited (0) 3 seconds ago","n"]]}`
		}, []Difference{
			{Kind: "service", Name: "dns", Host: "nyctea", Detail: []string{"the service is unhealthy"}, Repair: "RUN", Broken: true},
			{Kind: "service", Name: "web", Host: "nyctea", Detail: []string{"the service is exited"}, Repair: "RUN", Broken: true},
		}},
		{"members of OVN's databases", func(s *engine.Status) {
			s.Observed[databasesOutput] = `{"tyto":{"northbound":"a","southbound":"b","led":false},"nyctea":{"northbound":"c","southbound":"d","led":true},"bubo":{"northbound":"","southbound":"","led":false}}`
		}, []Difference{{Kind: "databases", Name: "of OVN", Host: "tyto", Detail: []string{"the member on this hypervisor has no leader: more than half of the members have to answer"}, Repair: "RUN", Broken: true}}},
		{"a certificate that ends soon", func(s *engine.Status) {
			s.Observed[nodesCertificates] = strings.Replace(s.Observed[nodesCertificates], "2026-01-01T12", "2025-03-08T13", 1)
		}, []Difference{{Kind: "certificate", Name: "/etc/kubernetes/pki/apiserver.crt", Host: "c1", Detail: []string{"it ends in 7 days, on 2025-03-08: CN=kube-apiserver"}, Repair: "RENEW", Broken: true}}},
		{"a certificate that has ended", func(s *engine.Status) {
			s.Observed[ownCertificates] = strings.Replace(s.Observed[ownCertificates], "2035-01-01T00", "2025-03-01T12", 1)
		}, []Difference{{Kind: "certificate", Name: "/k/pki/ca.crt", Host: "nyctea", Detail: []string{"it has ended on 2025-03-01: CN=k8s services"}, Repair: "RUN", Broken: true}}},
		{"a cluster that is not there yet", func(s *engine.Status) {
			for i := range s.Hosts[:3] {
				s.Hosts[i].Answers, s.Hosts[i].Message = false, "not there yet"
			}
			s.Observed[nodesOutput], s.Observed[servicesOutput], s.Observed[etcdOutput] = `{"nyctea":{"version":"v1.34.4","lines":[]}}`, `{"nyctea":[]}`, `{}`
			s.Observed[ownCertificates], s.Observed[nodesCertificates] = `{"nyctea":[]}`, `{}`
		}, []Difference{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := cluster()
			tc.change(&s)
			status := of(t, s)
			if diff := cmp.Diff(tc.want, status.Differences); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if status.AsDeclared != (len(tc.want) == 0) {
				t.Errorf("as declared: %t", status.AsDeclared)
			}
		})
	}
}

func TestServicesOnSeveralHypervisorsAreShownOnEach(t *testing.T) {
	t.Parallel()
	s := cluster()
	s.Observed[placesOutput] = strings.Replace(s.Observed[placesOutput], `"services":["nyctea"]`, `"services":["nyctea","tyto"]`, 1)
	s.Observed[servicesOutput] = strings.Replace(s.Observed[servicesOutput], `]]}`, `]],"tyto":[["kinit-k8s-dns","Up 1 hour ago (unhealthy)","bind9:1"]]}`, 1)
	answer := s.Observed[nodesOutput]
	s.Observed[nodesOutput] = strings.Replace(answer, `{"nyctea"`, `{"nyctea":{"version":"v1.34.4","lines":[["error","EOF"]]},"tyto"`, 1)
	status := of(t, s)
	var lines []string
	for _, line := range status.Lines() {
		if strings.HasPrefix(line, "services ") || strings.HasPrefix(line, "w1 ") {
			lines = append(lines, line)
		}
	}
	if diff := cmp.Diff([]string{
		"w1      answers  compute     tyto    Ready  v1.34.4",
		"services      dns healthy, web healthy on nyctea",
		"services      dns unhealthy, web absent on tyto",
	}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Difference{{Kind: "service", Name: "dns", Host: "tyto", Detail: []string{"the service is unhealthy"}, Repair: "RUN", Broken: true}}, status.Differences); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestMembersOfDatabasesAreShown(t *testing.T) {
	t.Parallel()
	s := cluster()
	s.Observed[databasesOutput] = `{"tyto":{"northbound":"a","southbound":"b","led":true},"nyctea":{"northbound":"c","southbound":"d","led":true}}`
	var lines []string
	for _, line := range of(t, s).Lines() {
		if strings.HasPrefix(line, "OVN") {
			lines = append(lines, line)
		}
	}
	if diff := cmp.Diff([]string{"OVN           nyctea healthy, tyto healthy"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyDifferencesStayOnOneScreen(t *testing.T) {
	t.Parallel()
	s := cluster()
	for range 40 {
		s.Differences = append(s.Differences, engine.Difference{Task: "task.copy.a", Host: "nyctea", Steps: []string{"write /a"}})
	}
	lines := of(t, s).Lines()
	if len(lines) > 30 {
		t.Errorf("%d lines", len(lines))
	}
	if want := "  and 32 more: --output json lists all"; lines[len(lines)-4] != want {
		t.Errorf("the line is %q, want %q", lines[len(lines)-4], want)
	}
}

func TestJSONHasEmptyListsAndNoNull(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(of(t, engine.Status{}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"status","spec":"k8s-podman-2-1-2","time":"2025-03-01T12:00:00Z","as_declared":true,"exit_code":0,"hosts":[],"stages":[],"differences":[]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCertificatesAreListedByTheirEndAndSayWhoRenewsThem(t *testing.T) {
	t.Parallel()
	at := func(path, end string) string {
		return `{"path":"` + path + `","subject":"CN=x","authority":` + map[bool]string{true: "true", false: "false"}[strings.HasSuffix(path, "ca.crt")] + `,"not_before":"2025-01-01T00:00:00Z","not_after":"` + end + `"}`
	}
	list, err := Certificates(map[string]string{
		ownCertificates: `{"nyctea":[` + at("/k/ca.crt", "2035-01-01T00:00:00Z") + `,` + at("/k/admin.crt", "2025-09-01T00:00:00Z") + `]}`,
		nodesCertificates: `{"c1":[` + at("/p/apiserver.crt", "2025-06-01T00:00:00Z") + `,` + at("/v/kubelet-client-current.pem", "2025-05-01T00:00:00Z") + `,` +
			at("/v/kubelet.crt", "2025-02-01T00:00:00Z") + `]}`,
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	want := `HOST    FILE                           SUBJECT  ENDS        DAYS   RENEWED BY
c1      /v/kubelet.crt                 CN=x     2025-02-01  ended  not renewed
c1      /v/kubelet-client-current.pem  CN=x     2025-05-01  60     kubelet
c1      /p/apiserver.crt               CN=x     2025-06-01  91     kinit certs --renew
nyctea  /k/admin.crt                   CN=x     2025-09-01  183    kinit run
nyctea  /k/ca.crt                      CN=x     2035-01-01  3592   not renewed`
	if diff := cmp.Diff(want, strings.Join(CertificateLines(list), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What hosts send does not move the cursor and stays on its line.
func TestWhatHostsSendIsSafeToShow(t *testing.T) {
	t.Parallel()
	s := cluster()
	s.Hosts[0].Message = "ans\x1b[2Jwers"
	s.Differences = []engine.Difference{{Task: "task.copy.a", Host: "nyctea", Steps: []string{"write \x1b[2J/a\x07"}}}
	s.Observed[nodesOutput] = strings.Replace(s.Observed[nodesOutput], "containerd://1.6", `containerd\u001b]0;x\u0007\n1.6`, 1)
	s.Observed[nodesCertificates] = strings.Replace(s.Observed[nodesCertificates], "CN=kube-apiserver", `CN=\u001b[31mkube\nfake  row`, 1)
	status := of(t, s)
	certificates := CertificateLines(status.Certificates)
	for _, line := range append(status.Lines(), certificates...) {
		if strings.ContainsAny(line, "\x1b\x07\n\r") {
			t.Errorf("the line %q can control a terminal", line)
		}
	}
	if want := "c1      /etc/kubernetes/pki/apiserver.crt  CN=kube fake  row  2026-01-01  306   kinit certs --renew"; certificates[1] != want {
		t.Errorf("the line is %q, want %q", certificates[1], want)
	}
}

func TestAnOutputOfAnotherFormIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	for _, name := range Outputs() {
		s := cluster()
		s.Observed[name] = `"x"`
		_, err := Of(s, "s", repairs, now)
		if want := `read the output "` + name + `" of the playbook: `; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want one that begins with %s", err, want)
		}
	}
}
