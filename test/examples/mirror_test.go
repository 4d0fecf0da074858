package examples

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/test/executable"
)

const digest = "@sha256:2222222222222222222222222222222222222222222222222222222222222222"

func TestImagesOfUsersGoToTheRegistryUnderTheirNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"nginx:1.27":                     "docker://docker.io/library/nginx:1.27=library/nginx:1.27",
		"docker.io/nginx:1.27":           "docker://docker.io/library/nginx:1.27=library/nginx:1.27",
		"team/app:1":                     "docker://docker.io/team/app:1=team/app:1",
		"quay.io/team/app:v1":            "docker://quay.io/team/app:v1=team/app:v1",
		"localhost/app:1":                "docker://localhost/app:1=app:1",
		"mirror.example:5000/a/b/c:2":    "docker://mirror.example:5000/a/b/c:2=a/b/c:2",
		"mirror.example:5000/a" + digest: "all:docker://mirror.example:5000/a" + digest + "=a" + digest,
		"quay.io/team/app:v1" + digest:   "all:docker://quay.io/team/app" + digest + "=team/app" + digest,
		"registry.k8s.io/pause:3.10.1":   "", // the cluster's own
	} {
		o := options(t, "k8s-podman-1-1-1")
		o.Hosts = []string{"a"}
		standard := evaluate(t, o, "local.pushed")
		o.Vars["mirror_images"] = `["` + name + `"]`
		got := strings.Join(slices.DeleteFunc(evaluate(t, o, "local.pushed"), func(pair string) bool { return slices.Contains(standard, pair) }), " ")
		if got != want {
			t.Errorf("%s: pushed %q, want %q", name, got, want)
		}
	}
	o := options(t, "k8s-libvirt-1-1-1")
	o.Hosts = []string{"a"}
	o.Vars["compute_os"], o.Vars["windows_iso"], o.Vars["mirror_images"] = "windows-2022", `{ url = "/srv/windows.iso" }`, `["nginx:1.27"]`
	o.Vars["windows_activation"] = "none"
	if got := evaluate(t, o, "local.pushed"); !slices.Contains(got, "all:docker://docker.io/library/nginx:1.27=library/nginx:1.27") {
		t.Errorf("with Windows nodes: %q", got)
	}
}

// A program in place of skopeo writes what it is asked to copy.
func TestTheRegistryGetsWhatItLacks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	has := map[string]bool{"/v2/here/it/manifests/1": true, "/v2/here/too/manifests/" + digest[1:]: true}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if user, password, _ := r.BasicAuth(); user != "kinit" || password != "secret" || !has[r.URL.Path] {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, text := range map[string]string{
		"ca.crt": string(authority), "curl.conf": "user = \"kinit:secret\"\n", "auth.json": "{}",
		"skopeo": "#!/bin/sh\necho \"$@\" >>" + folder + "/copied\n",
	} {
		executable.Write(t, filepath.Join(folder, name), text)
	}
	registry := strings.TrimPrefix(server.URL, "https://")
	push := func(verb string, pairs ...string) string {
		return script(t, []string{"PATH=" + folder + ":" + os.Getenv("PATH")}, "kubernetes/files/push.sh", slices.Concat([]string{verb, registry, folder}, pairs)...)
	}
	here := []string{"oci:/i:it=here/it:1", "all:docker://a.example/here/too" + digest + "=here/too" + digest}
	if got := push("check", here...); got != "" {
		t.Errorf("the registry has all images, and the check fails: %s", got)
	}
	lacking := slices.Concat(here, []string{"docker://b.example/there:2=there:2", "all:docker://b.example/there" + digest + "=there" + digest})
	want := "404 " + server.URL + "/v2/there/manifests/2\n404 " + server.URL + "/v2/there/manifests/" + digest[1:] + " (exit status 1)"
	if got := push("check", lacking...); got != want {
		t.Errorf("check of what is not there: %q, want %q", got, want)
	}
	if got := push("push", lacking...); got != "" {
		t.Errorf("push: %s", got)
	}
	copied, err := os.ReadFile(filepath.Join(folder, "copied"))
	if err != nil {
		t.Fatal(err)
	}
	logins := " --src-authfile " + folder + "/auth.json --dest-cert-dir " + folder + " --dest-authfile " + folder + "/auth.json "
	copies := "copy --quiet" + logins + "docker://b.example/there:2 docker://" + registry + "/there:2\n" +
		"copy --quiet --all" + logins + "docker://b.example/there" + digest + " docker://" + registry + "/there" + digest + "\n"
	if diff := cmp.Diff(copies, string(copied)); diff != "" {
		t.Errorf("what skopeo copied (-want +got):\n%s", diff)
	}
}

// An address that takes connections and never answers, as a dead overlay's may, must not hold up a run or a plan.
func TestSilentRegistryDoesNotHoldUpThePush(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	folder := t.TempDir()
	executable.Write(t, filepath.Join(folder, "ca.crt"), newRegistry(t).authority)
	executable.Write(t, filepath.Join(folder, "curl.conf"), "header = \"Accept: */*\"\n")
	begun := time.Now()
	got := script(t, nil, "kubernetes/files/push.sh", "check", silent.Addr().String(), folder, "oci:images:pause:3.10.1=pause:3.10.1")
	if want := "000 https://" + silent.Addr().String() + "/v2/pause/manifests/3.10.1 (exit status 1)"; got != want {
		t.Errorf("the check says %q, want %q", got, want)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}
