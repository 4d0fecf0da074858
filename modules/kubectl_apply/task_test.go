package kubectlapply_test

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/kubectl_apply"
)

const content = `apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: page, namespace: web}
data: {index: hello}
---
`

const (
	kubectl = "kubectl --kubeconfig /etc/kubernetes/admin.conf "
	merging = " --field-manager kinit --server-side --force-conflicts --filename -"
)

func task(change func(*kubectlapply.Task)) *kubectlapply.Task {
	return moduletest.Make(kubectlapply.Kind(), func(made *kubectlapply.Task) {
		made.Content = content
	}, change)
}

// What kubectl is asked to see which objects are there, and its answer when all are.
const (
	listing = "get --ignore-not-found --output name --filename -"
	objects = "namespace/web\nconfigmap/page\n"
)

// host has a kubectl whose cluster is one flag: the objects are there, or not.
func host(t *testing.T) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/kubernetes/admin.conf", "", 0o600)
	there := false
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		if c.Stdin != content {
			t.Errorf("standard input of %s: %q", c.Line(), c.Stdin)
		}
		switch strings.TrimPrefix(c.Line(), kubectl) {
		case "diff" + merging:
			if there {
				return moduletest.Reply{}, true
			}
			return moduletest.Reply{Code: 2, Stderr: "namespaces \"web\" not found"}, true
		case listing:
			if there {
				return moduletest.Reply{Stdout: objects}, true
			}
			return moduletest.Reply{}, true
		case "apply" + merging:
			there = true
			return moduletest.Reply{Changes: true}, true
		case "delete --ignore-not-found --wait --filename -":
			there = false
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, false
	})
	return h
}

func TestContract(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		Host: host(t), New: func() module.Task { return task(nil) },
		Absent: func() module.Task { return task(func(t *kubectlapply.Task) { t.State = "absent" }) },
	})
}

func TestPlanShowsTheDifference(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/kubernetes/admin.conf", "", 0o600)
	h.AddSecret("opensesame")
	h.On(strings.Fields(kubectl + listing)...).Out(objects)
	h.On(strings.Fields(kubectl + "diff" + merging)...).Reply(moduletest.Reply{Code: 1, Stdout: `diff -u -N /tmp/LIVE-1/v1.ConfigMap.web.page /tmp/MERGED-2/v1.ConfigMap.web.page
--- /tmp/LIVE-1/v1.ConfigMap.web.page	2024-01-01 00:00:00
+++ /tmp/MERGED-2/v1.ConfigMap.web.page	2024-01-01 00:00:00
@@ -1,3 +1,3 @@
 data:
-  index: hi
+  index: hello opensesame
`})
	want := []string{`apply Namespace web, ConfigMap page: the cluster has other fields
@@ -1,3 +1,3 @@
 data:
-  index: hi
+  index: hello ***`}
	moduletest.WantTexts(t, task(nil), h, want...)
}

func TestObjectsInANewNamespaceAreMissingNotAnError(t *testing.T) {
	t.Parallel()
	want := []string{"apply Namespace web, ConfigMap page: 2 of 2 objects are missing"}
	moduletest.WantTexts(t, task(nil), host(t), want...)
}

func TestClusterThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	want := []string{"apply Namespace web, ConfigMap page: the cluster is not there yet"}
	moduletest.WantTexts(t, task(nil), h, want...)
	if got := moduletest.Texts(t, task(func(t *kubectlapply.Task) { t.State = "absent" }), h); len(got) > 0 {
		t.Errorf("steps %v, want none", got)
	}
}

func TestAnswerThatIsNoDifferenceIsAnError(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/kubernetes/admin.conf", "", 0o600)
	h.On(strings.Fields(kubectl+"diff"+merging)...).Fail(2, "the server is starting")
	h.On(strings.Fields(kubectl + listing)...).Out(objects)
	_, err := task(nil).Plan(t.Context(), h)
	if err == nil || !strings.HasPrefix(err.Error(), "compare with the cluster: command ended with code 2: ") {
		t.Errorf("error %v", err)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*kubectlapply.Task){
		`content has no object, expected at least one`:               func(t *kubectlapply.Task) { t.Content = "---\n---\n" },
		`document 1 of content has no kind or no name`:               func(t *kubectlapply.Task) { t.Content = "kind: Pod" },
		`kubeconfig is "kc", expected an absolute path`:              func(t *kubectlapply.Task) { t.Kubeconfig = "kc" },
		`field_manager is empty, expected a name`:                    func(t *kubectlapply.Task) { t.FieldManager = "" },
		`state is "gone", want one of present, absent`:               func(t *kubectlapply.Task) { t.State = "gone" },
		"content is no YAML: document 1: yaml: found unexpected end": func(t *kubectlapply.Task) { t.Content = "a: \"" },
	} {
		err := module.Check(task(change))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Error from server (Timeout): Timeout: request did not complete within requested timeout - context deadline exceeded",
		"Unable to connect to the server: net/http: TLS handshake timeout",
		"Unable to connect to the server: EOF",
	} {
		h := moduletest.NewFakeHost(t, "k8s")
		h.FS.Put("/etc/kubernetes/admin.conf", "", 0o600)
		h.On(strings.Fields(kubectl+listing)...).Fail(1, said).Out(objects)
		h.On(strings.Fields(kubectl+"diff"+merging)...).Fail(2, said).Out("")
		if got := moduletest.Texts(t, task(nil), h); len(got) > 0 {
			t.Errorf("after %q: steps %v, want none", said, got)
		}
	}
}

func TestAServerWithAnothersCertificateIsNotBusy(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/kubernetes/admin.conf", "", 0o600)
	said := "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority"
	h.On(strings.Fields(kubectl+listing)...).Fail(1, said)
	if _, err := task(nil).Plan(t.Context(), h); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("error %v, want the certificate's", err)
	}
}
