//go:build life

package e2e

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLifeRollsToAnotherVersion upgrades a cluster while a client asks its web workload all the time. With
// KINIT_MINOR=1 ("make upgrade") the second version is the next minor one, of its own sources. Without it, it IS THE SAME
// SOURCES as the first one, stamped with the next number: what is tested is then how nodes roll, and not what a new
// version of Kubernetes brings.
func TestLifeRollsToAnotherVersion(t *testing.T) {
	k := build(t)
	second, untested := "--upgrade", []string(nil)
	if os.Getenv("KINIT_MINOR") != "" {
		second, untested = "--minor", []string{"--var", "allow_untested=true"}
	}
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman", second)
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	site := "http://" + labAddress(6)
	spec := []string{"k8s-podman-3-2-2", "--hosts", hosts}
	next := strings.TrimSpace(fetched(t, site+"/version"))
	newer := slices.Concat(spec, []string{"--var", "kubernetes_version=" + next, "--var", "kubernetes_preinstalled=false", "--var", "kubernetes_url=" + site}, untested)
	run := slices.Concat([]string{"run"}, newer)

	step(t, "a cluster of five nodes serves pages", func(t *testing.T) {
		k.must(t, slices.Concat([]string{"run"}, spec, []string{"--output", "json"})...)
	})
	api := newAPI(t, k, spec)
	old := versions(t, api)
	first := old["k8s-podman-controller-01"]
	if want := slices.Sorted(maps.Keys(old)); !slices.Equal(want, wideNodes) || first == next {
		t.Fatalf("nodes %v of %s, to become %s", want, first, next)
	}
	was := newPlaces(t, api, hosts)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	pagesAt := serve(t, api)
	pages := make(chan visits, 1)
	go func() { pages <- visited(ctx, pagesAt) }()
	rolls := make(chan []string, 1)
	go func() { rolls <- schedulable(ctx, api) }()

	step(t, "ways that are closed are refused before anything changes", func(t *testing.T) {
		for _, test := range []struct {
			more []string
			want string
		}{
			{[]string{"--var", "kubernetes_version=v1.99.0", "--var", "allow_untested=true"}, "v1.99.0 skips a minor version: go to v1.35 first"},
			{[]string{"--var", "kubernetes_version=v1.34.0"}, "a cluster does not go back to v1.34.0"},
			{[]string{"--var", "kubernetes_preinstalled=true"}, "the programs of nodes are those of their image (kubernetes_preinstalled = true)"},
		} {
			k.call(t, slices.Concat(run, test.more, []string{"--output", "quiet"})...).refuses(t, 1, test.want)
		}
		if diff := cmp.Diff(old, versions(t, api)); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
	})

	snapshotFile := "/var/lib/kinit/etcd/before-" + next + ".db"
	step(t, "the plan says which nodes are upgraded, from which version to which", func(t *testing.T) {
		r := k.call(t, slices.Concat([]string{"plan"}, newer, []string{"--output", "text"})...)
		if r.code != 4 { // changes are pending
			t.Errorf("exit %d\n%s", r.code, r.stderr)
		}
		for _, node := range wideNodes {
			for _, want := range []string{fmt.Sprintf("upgrade %s from %s to %s", node, first, next), "cordon " + node} {
				if !strings.Contains(r.stdout, want) {
					t.Errorf("the plan does not say %q", want)
				}
			}
		}
		if want := "save a snapshot of etcd in " + snapshotFile; !strings.Contains(r.stdout, want) {
			t.Errorf("the plan does not say %q:\n%s", want, r.stdout)
		}
	})

	step(t, "killed while a controller and a compute node are upgraded, it goes on and ends", func(t *testing.T) {
		for _, task := range []string{`task.kubeadm_upgrade.controller["k8s-podman-controller-02"]`, `task.kubeadm_upgrade.compute["k8s-podman-compute-01"]`} {
			k.until(t, at("step_started", task), kill, run...)
		}
		want := map[string]string{}
		for _, node := range wideNodes {
			want[node] = next
		}
		r := k.must(t, append(slices.Clone(run), "--output", "json")...)
		for _, node := range []string{"k8s-podman-controller-01", "k8s-podman-controller-02"} {
			if again := `task.kubeadm_upgrade.controller["` + node + `"]`; slices.ContainsFunc(r.finished("changed"), func(line string) bool { return strings.HasPrefix(line, again) }) {
				t.Logf("%s was upgraded by the last run", node)
			}
		}
		if diff := cmp.Diff(want, versions(t, api)); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
	})

	step(t, "the control plane and kube-proxy have the version, and nodes are who they were", func(t *testing.T) {
		const show = `go-template={{range .items}}{{range .spec.containers}}{{.image}}{{"\n"}}{{end}}{{end}}`
		for _, image := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
			said := api.get(t, "pods", "--namespace", "kube-system", "--output", show)
			if got, want := strings.Count(said, "/"+image+":"+next+"\n"), strings.Count(said, "/"+image+":"); got != want || got < 3 {
				t.Errorf("%d of %d %s have %s:\n%s", got, want, image, next, said)
			}
		}
		now := newPlaces(t, api, hosts)
		if diff := cmp.Diff(was.uid, now.uid); diff != "" {
			t.Errorf("uids (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(was.where, now.where); diff != "" {
			t.Errorf("places (-want +got):\n%s", diff)
		}
		if got := on(t, "nyctea", "podman exec k8s-podman-controller-01 stat --format '%a %U' "+snapshotFile); got != "600 root\n" {
			t.Errorf("the snapshot of etcd has %q", got)
		}
	})

	step(t, "the second run changes nothing", func(t *testing.T) { unchanged(t, k, run) })

	step(t, "nodes rolled one by one, controllers first, and every request was answered", func(t *testing.T) {
		stop()
		all := <-pages
		progress(t, "%d pages were answered by %d pods", all.answered, len(all.pods))
		if len(all.failures) > 0 || all.answered < 100 {
			t.Errorf("%d pages were answered, and %d not:\n%s", all.answered, len(all.failures), strings.Join(all.failures, "\n"))
		}
		order := <-rolls
		progress(t, "nodes became unschedulable and schedulable: %s", strings.Join(order, " "))
		if problem := oneByOne(order); problem != "" {
			t.Errorf("%s: %s", problem, strings.Join(order, " "))
		}
	})

	step(t, "clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})
}

// versions are those of the nodes' kubelets.
func versions(t *testing.T, a *api) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(a.get(t, "nodes", "--output", `go-template={{range .items}}{{.metadata.name}} {{.status.nodeInfo.kubeletVersion}}{{"\n"}}{{end}}`)) {
		words := strings.Fields(line)
		all[words[0]] = words[1]
	}
	return all
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	text, err := page(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// page asks by a connection of its own.
func page(ctx context.Context, url string) (string, error) {
	client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	reply, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", reply.Status)
	}
	return string(text), err
}

// pagesOfThree serves pages by three replicas, of which at most one may be away. One that ends waits until it gets
// no requests any more, as any server behind a service has to.
const pagesOfThree = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: page}
spec:
  replicas: 3
  selector: {matchLabels: {app: page}}
  template:
    metadata: {labels: {app: page}}
    spec:
      terminationGracePeriodSeconds: 60
      containers:
        - name: page
          image: IMAGE
          command: [sh, -c, 'mkdir /www && hostname >/www/index.html && exec httpd -f -p 8080 -h /www']
          lifecycle: {preStop: {sleep: {seconds: 20}}}
          readinessProbe: {httpGet: {port: 8080, path: /}, periodSeconds: 2, timeoutSeconds: 10}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: page}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: page}}
---
apiVersion: v1
kind: Service
metadata: {name: page}
spec:
  type: NodePort
  selector: {app: page}
  ports: [{port: 80, targetPort: 8080, nodePort: 30443}]
`

// serve makes the workload, and returns where the load balancer shows it.
func serve(t *testing.T, a *api) string {
	t.Helper()
	image := a.get(t, "daemonset", "sample", "--namespace", "kinit-sample", "--output", "jsonpath={.spec.template.spec.containers[0].image}")
	cmd := a.command(t.Context(), "apply", "--filename", "-")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(pagesOfThree, "IMAGE", image))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	a.until(t, "3", "deployment", "page", "--output", "jsonpath={.status.readyReplicas}")
	url := "http://" + labAddress(10) + ":443/"
	var err error
	for deadline := time.Now().Add(apiPatience); time.Now().Before(deadline); time.Sleep(time.Second) {
		if _, err = page(t.Context(), url); err == nil {
			return url
		}
	}
	t.Fatal(err)
	return ""
}

// visits are the answers to one client.
type visits struct {
	answered int
	pods     map[string]bool
	failures []string
}

// visited asks for a page ten times a second until ctx ends.
func visited(ctx context.Context, url string) visits {
	all := visits{pods: map[string]bool{}}
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		text, err := page(ctx, url)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			all.failures = append(all.failures, time.Now().UTC().Format(time.TimeOnly)+" "+err.Error())
		default:
			all.answered++
			all.pods[text] = true
		}
	}
	return all
}

// schedulable lists the nodes that become unschedulable, as -NODE, and those that become schedulable, as +NODE.
func schedulable(ctx context.Context, a *api) (order []string) {
	const show = `go-template={{range .items}}{{if .spec.unschedulable}}{{.metadata.name}} {{end}}{{end}}`
	away := map[string]bool{}
	for ; ctx.Err() == nil; time.Sleep(300 * time.Millisecond) {
		out, err := a.command(ctx, "get", "nodes", "--output", show).Output()
		if err != nil {
			continue
		}
		now := strings.Fields(string(out))
		for _, node := range slices.Sorted(maps.Keys(away)) {
			if !slices.Contains(now, node) {
				order = append(order, "+"+node)
				delete(away, node)
			}
		}
		for _, node := range now {
			if !away[node] {
				order = append(order, "-"+node)
				away[node] = true
			}
		}
	}
	return order
}

// oneByOne says what is wrong with an order, or nothing.
func oneByOne(order []string) string {
	away, done := "", map[string]bool{}
	for _, change := range order {
		node := change[1:]
		switch {
		case change[0] == '-' && away != "":
			return node + " went away while " + away + " was"
		case change[0] == '-':
			away = node
		case node != away:
			return node + " came back while " + away + " was away"
		default:
			if strings.Contains(node, "compute") && !done["k8s-podman-controller-03"] {
				return node + " was before a controller"
			}
			done[node], away = true, ""
		}
	}
	if away != "" || len(done) != len(wideNodes) {
		return fmt.Sprintf("%d nodes came back, and %q did not", len(done), away)
	}
	return ""
}
