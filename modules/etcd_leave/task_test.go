package etcdleave_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/etcd_leave"
	"kinit/test/kube"
)

// etcd is a real one of several members on this machine.
type etcd struct {
	urls map[string]string // where each member answers, by its name
	stop map[string]func() // ends a member
}

// newEtcd starts the members a, b, c and so on.
func newEtcd(t *testing.T, members int) *etcd {
	t.Helper()
	program := kube.Program(t, "etcd")
	e := &etcd{urls: map[string]string{}, stop: map[string]func(){}}
	peers := map[string]string{}
	var all []string
	for _, name := range names(members) {
		e.urls[name], peers[name] = fmt.Sprintf("http://127.0.0.1:%d", need.Port(t)), fmt.Sprintf("http://127.0.0.1:%d", need.Port(t))
		all = append(all, name+"="+peers[name])
	}
	for _, name := range names(members) {
		ctx, cancel := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, program, "--name", name, "--data-dir", filepath.Join(t.TempDir(), name), "--unsafe-no-fsync",
			"--listen-client-urls", e.urls[name], "--advertise-client-urls", e.urls[name],
			"--listen-peer-urls", peers[name], "--initial-advertise-peer-urls", peers[name], "--initial-cluster", strings.Join(all, ","))
		if err := cmd.Start(); err != nil {
			cancel()
			t.Fatal(err)
		}
		ended := false
		e.stop[name] = func() {
			cancel()
			if !ended {
				_ = cmd.Wait()
			}
			ended = true
		}
		t.Cleanup(e.stop[name])
	}
	for deadline := time.Now().Add(time.Minute); len(e.members(t)) < members || e.leader(t) == ""; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("etcd has no leader after a minute")
		}
	}
	return e
}

func names(n int) []string { return []string{"a", "b", "c", "d", "e"}[:n] }

// ask asks a member, and leaves answer alone if it does not answer.
func (e *etcd) ask(t *testing.T, name, path, question string, answer any) {
	t.Helper()
	client := http.Client{Timeout: 5 * time.Second}
	reply, err := client.Post(e.urls[name]+"/v3/"+path, "application/json", strings.NewReader(question))
	if err != nil {
		return
	}
	defer reply.Body.Close()
	if err := json.NewDecoder(reply.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
}

// members lists the names of those that there are, as a says.
func (e *etcd) members(t *testing.T) (all []string) {
	t.Helper()
	var listed struct{ Members []struct{ Name string } }
	e.ask(t, "a", "cluster/member/list", "{}", &listed)
	for _, m := range listed.Members {
		all = append(all, m.Name)
	}
	slices.Sort(all)
	return all
}

// leader is the name of the member that leads, as a says.
func (e *etcd) leader(t *testing.T) string {
	t.Helper()
	var status struct{ Leader string }
	e.ask(t, "a", "maintenance/status", "{}", &status)
	var listed struct{ Members []struct{ ID, Name string } }
	e.ask(t, "a", "cluster/member/list", "{}", &listed)
	for _, m := range listed.Members {
		if m.ID == status.Leader {
			return m.Name
		}
	}
	return ""
}

func (e *etcd) task(leaving ...string) *etcdleave.Task {
	made := etcdleave.Kind().New().(*etcdleave.Task)
	made.Endpoint, made.Members = e.urls["a"], map[string]string{}
	for _, name := range leaving {
		made.Members[name] = ""
	}
	return made
}

func TestMembersLeaveARealEtcdOneByOne(t *testing.T) {
	t.Parallel()
	e, h := newEtcd(t, 3), moduletest.LocalHost(t, "k8s")
	for name := "b"; e.leader(t) != name; time.Sleep(50 * time.Millisecond) {
		e.lead(t, name)
	}
	moduletest.WantTexts(t, e.task("b", "c", "compute-01"), h, "take b out of etcd", "take c out of etcd")
	if got := e.members(t); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("planning has changed the members to %v", got)
	}
	if got, want := moduletest.Planned(t.Context(), e.task("a", "b"), h), "a cannot leave etcd: it is the host's own member, want the task on a host whose member stays"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	moduletest.Settle(t, e.task("b", "c", "compute-01"), h)
	if got := e.members(t); !slices.Equal(got, []string{"a"}) || e.leader(t) != "a" {
		t.Errorf("the members are %v, led by %q", got, e.leader(t))
	}
	if got, want := moduletest.Planned(t.Context(), e.task("a"), h), "a cannot leave etcd: it is the last member, and all data would go with it"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// lead makes a member lead.
func (e *etcd) lead(t *testing.T, name string) {
	t.Helper()
	var listed struct{ Members []struct{ ID, Name string } }
	e.ask(t, "a", "cluster/member/list", "{}", &listed)
	for _, m := range listed.Members {
		if m.Name == name {
			e.ask(t, e.leader(t), "maintenance/transfer-leadership", `{"targetID": "`+m.ID+`"}`, &struct{}{})
		}
	}
}

func TestOnlyAnUnreachableMemberLeavesWithoutAQuorum(t *testing.T) {
	t.Parallel()
	e, h := newEtcd(t, 3), moduletest.LocalHost(t, "k8s")
	for e.leader(t) != "c" {
		e.lead(t, "c")
		time.Sleep(50 * time.Millisecond)
	}
	e.stop["c"]() // the others take it for their leader for a while
	want := "b cannot leave etcd: 2 of its members have to answer and 1 do. These do not: c"
	if got := moduletest.Planned(t.Context(), e.task("b"), h); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	moduletest.WantTexts(t, e.task("b", "c"), h, "take c out of etcd", "take b out of etcd")
	moduletest.Settle(t, e.task("b", "c"), h)
	if got := e.members(t); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the members are %v", got)
	}
}

func TestAMemberThatHasNeverStartedLeavesByItsAddress(t *testing.T) {
	t.Parallel()
	e, h := newEtcd(t, 3), moduletest.LocalHost(t, "k8s")
	e.ask(t, "a", "cluster/member/add", `{"peerURLs": ["http://127.0.0.9:2380"], "isLearner": true}`, &struct{}{})
	made := e.task("d")
	made.Members["d"] = "127.0.0.9"
	moduletest.Settle(t, made, h)
	if got := e.members(t); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the members are %v", got)
	}
}

func TestMistakesOfEtcdLeave(t *testing.T) {
	t.Parallel()
	e := &etcd{urls: map[string]string{"a": "127.0.0.1:2379"}}
	moduletest.Refused(t, e.task("a"), `endpoint is "127.0.0.1:2379", expected a URL such as "https://127.0.0.1:2379"`)
	e.urls["a"] = "https://127.0.0.1:2379"
	made := e.task("a")
	made.Wait = "long"
	moduletest.Refused(t, made, `wait is "long", expected a duration such as "1m"`)
	h := moduletest.NewFakeHost(t, "k8s")
	want := "there is no /etc/kubernetes/pki/etcd/ca.crt: the host runs no member of etcd that was made by kubeadm"
	if got := moduletest.Planned(t.Context(), e.task("a"), h); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
