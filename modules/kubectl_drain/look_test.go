package kubectldrain

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// parse reads an object as kubectl prints it.
func parse[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

const readyNode = `{"metadata": {"name": "n", "labels": {"kubernetes.io/hostname": "n"}}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}`

// owned is the metadata of a pod that a controller recreates.
const owned = `"metadata": {"name": "p", "namespace": "web", "ownerReferences": [{"kind": "ReplicaSet", "controller": true}]}`

func TestWhatWouldBeLostIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pod, volume string
		pods        int
		lost        []string
	}{
		"nothing of a pod with an emptyDir": {`{` + owned + `, "spec": {"volumes": [{"name": "v", "emptyDir": {}}], "containers": [{"volumeMounts": [{"name": "v"}]}]}}`, ``, 1, nil},
		"a folder of the node": {`{` + owned + `, "spec": {"volumes": [{"name": "v", "hostPath": {"path": "/data"}}], "containers": [{"volumeMounts": [{"name": "v"}]}]}}`, ``, 1,
			[]string{"the pod web/p may write to the node's folder /data"}},
		"no folder that is only read": {`{` + owned + `, "spec": {"volumes": [{"name": "v", "hostPath": {"path": "/etc/ssl"}}], "containers": [{"volumeMounts": [{"name": "v", "readOnly": true}]}]}}`, ``, 1, nil},
		"a pod without a controller":  {`{"metadata": {"name": "p", "namespace": "web"}}`, ``, 1, []string{"the pod web/p belongs to no controller that would recreate it"}},
		"a claim in a folder of the node": {`{` + owned + `, "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "db"}}]}}`,
			`{"metadata": {"name": "pv"}, "spec": {"hostPath": {"path": "/pv"}, "claimRef": {"name": "db", "namespace": "web"}}}`, 1,
			[]string{"the pod web/p has its claim db in the node's folder /pv"}},
		"a local volume, even without a pod": {`{"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}`,
			`{"metadata": {"name": "pv"}, "spec": {"local": {"path": "/pv"}, "claimRef": {"name": "db", "namespace": "web"},
			  "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n"]}]}]}}}}`, 0,
			[]string{"the volume pv of the claim web/db is on the node"}},
		"no local volume of another node": {`{` + owned + `}`,
			`{"metadata": {"name": "pv"}, "spec": {"local": {"path": "/pv"}, "claimRef": {"name": "db", "namespace": "web"},
			  "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["m"]}]}]}}}}`, 1, nil},
		"no pod of a DaemonSet": {`{"metadata": {"name": "p", "ownerReferences": [{"kind": "DaemonSet", "controller": true}]},
			"spec": {"volumes": [{"name": "v", "hostPath": {"path": "/run"}}], "containers": [{"volumeMounts": [{"name": "v"}]}]}}`, ``, 0, nil},
		"no pod that has ended": {`{"metadata": {"name": "p"}, "status": {"phase": "Succeeded"}}`, ``, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var volumes []volume
			if test.volume != "" {
				volumes = append(volumes, parse[volume](t, test.volume))
			}
			s := look(parse[node](t, readyNode), []pod{parse[pod](t, test.pod)}, volumes, false)
			if diff := cmp.Diff(test.lost, s.lost); diff != "" || len(s.pods) != test.pods || !s.answers || s.cordoned {
				t.Errorf("%d pods, want %d; answers %v, cordoned %v; lost\n%s", len(s.pods), test.pods, s.answers, s.cordoned, diff)
			}
		})
	}
}

func TestABudgetIsNamedOnlyForItsOwnPods(t *testing.T) {
	t.Parallel()
	s := state{pods: []pod{parse[pod](t, `{"metadata": {"name": "p", "namespace": "web", "labels": {"app": "page", "tier": "gold"}}}`)}}
	made := func(name, rest string) budget {
		return parse[budget](t, `{"metadata": {"name": "`+name+`", "namespace": "web"}, `+rest+`}`)
	}
	kept := s.kept([]budget{
		made("same", `"spec": {"selector": {"matchLabels": {"app": "page"}}}`),
		made("other", `"spec": {"selector": {"matchLabels": {"app": "shop"}}}`),
		made("generous", `"spec": {"selector": {"matchLabels": {"app": "page"}}}, "status": {"disruptionsAllowed": 1}`),
		made("words", `"spec": {"selector": {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["gold"]}, {"key": "old", "operator": "DoesNotExist"}]}}`),
		made("not", `"spec": {"selector": {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["gold"]}]}}`),
	})
	want := []string{"web/p: the disruption budget same lets none of its pods go: the disruption budget words lets none of its pods go"}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Error(diff)
	}
}

// What kubectl ends with before the time is over is no matter of time.
func TestADrainThatFailsAtOnceSaysWhy(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	kubectl := []string{"kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf"}
	on := func(args ...string) *moduletest.Script { return h.On(append(slices.Clone(kubectl), args...)...) }
	on("get", "node", "n", "--ignore-not-found", "--output", "json").Out(readyNode)
	on("get", "pods", "--all-namespaces", "--field-selector", "spec.nodeName=n", "--output", "json").Out(`{"items": [{` + owned + `}]}`)
	on("get", "persistentvolumes", "--output", "json").Out(`{"items": []}`)
	on("cordon", "n")
	on("drain", "n", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout", "10m0s").
		Fail(1, `error: admission webhook "guard.example.org" denied the request`)
	made := Kind().New().(*Task)
	made.Node = "n"
	want := "drain n: command ended with code 1: error: admission webhook \"guard.example.org\" denied the request"
	if got := moduletest.Apply(t, made, h); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// refusing is a host whose kubectl finds that nothing listens at the address of its API server.
type refusing struct{ module.Host }

func (refusing) Run(context.Context, module.Command) (module.Output, error) {
	return module.Output{}, &module.ExitError{Code: 1, Stderr: "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?"}
}

func TestLookBeforeAReplacementDoesNotWaitForAStoppedController(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, began := refusing{moduletest.NewFakeHost(t, "")}, time.Now()
		task := Kind().New().(*Task)
		task.Node, task.LookOnly = "n1", true
		_, err := task.Plan(t.Context(), h)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it took %s", took)
		}
		want := "the API server gave no answer within 20s: get node: command ended with code 1: The connection to the server 10.0.0.1:6443 was refused"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s…", err, want)
		}
	})
}
