package examples

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/registry"

	"kinit/test/executable"
)

// Real skopeo copies from one registry to another.
func TestRegistryServesPauseImageForWindowsNodes(t *testing.T) {
	t.Parallel()
	from, to := newRegistry(t), newRegistry(t)
	linux := map[string]string{"os": "linux", "architecture": "amd64"}
	platforms := []map[string]string{
		linux, {"os": "windows", "architecture": "amd64", "os.version": "10.0.20348.2849"}, {"os": "windows", "architecture": "amd64", "os.version": "10.0.26100.2605"},
	}
	index := from.index(t, "3.10.2", platforms...)
	folder := t.TempDir()
	for file, text := range map[string]string{"ca.crt": to.authority, "curl.conf": "header = \"Accept: */*\"\n", "auth.json": "{}", "authorities": from.authority + to.authority} {
		executable.Write(t, filepath.Join(folder, file), text)
	}
	pair := "all:docker://" + from.address + "/pause@" + index + "=pause:3.10.2"
	push := func(verb string) string {
		return script(t, []string{"PATH=" + os.Getenv("PATH"), "SSL_CERT_FILE=" + folder + "/authorities"}, "kubernetes/files/push.sh", verb, to.address, folder, pair)
	}
	// An older kinit has pushed it for Linux alone.
	to.image(t, "3.10.2", linux)
	if got := push("check"); !strings.Contains(got, "/v2/pause/manifests/"+index) {
		t.Errorf("the check accepts an image without Windows: %q", got)
	}
	push("push")
	if diff := cmp.Diff(platforms, to.platforms(t, "3.10.2")); diff != "" {
		t.Errorf("platforms in the registry (-want +got):\n%s", diff)
	}
	if got := push("check"); got != "" {
		t.Errorf("the registry has all platforms, and the check fails: %s", got)
	}
}

func TestWindowsNodesGetPauseImageWithAllPlatforms(t *testing.T) {
	t.Parallel()
	for vars, want := range map[string]string{
		`pause_image=`: "all:docker://registry.k8s.io/pause@sha256:f548e0e8e3dc1896ca956272154dde3314e8cc4fde0a57577ee9fa1c63f5baf4=pause:3.10.2",
		`windows_pause_image=mirror.example/a/pause:3.10.2`: "all:docker://mirror.example/a/pause:3.10.2=a/pause:3.10.2",
		`pause_image=mirror.example/b/pause:3.10.2`:         "all:docker://mirror.example/b/pause:3.10.2=b/pause:3.10.2",
	} {
		o := options(t, "k8s-libvirt-1-1-1")
		o.Hosts = []string{"a"}
		o.Vars = map[string]string{"compute_os": "windows-2025", "windows_iso": iso, "windows_activation": "none"}
		if key, value, _ := strings.Cut(vars, "="); value != "" {
			o.Vars[key] = value
		}
		all := slices.DeleteFunc(evaluate(t, o, "local.pushed"), func(pair string) bool { return !strings.HasPrefix(pair, "all:") })
		if !slices.Equal(all, []string{want}) {
			t.Errorf("%s: pushed for all platforms %v, want %s", vars, all, want)
		}
	}
}

// testRegistry is a registry on loopback.
type testRegistry struct {
	address, authority string
	client             *http.Client
}

func newRegistry(t *testing.T) testRegistry {
	t.Helper()
	server := httptest.NewTLSServer(registry.New())
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return testRegistry{strings.TrimPrefix(server.URL, "https://"), string(authority), server.Client()}
}

// descriptor is an entry of a manifest, and of a list of manifests.
type descriptor struct {
	MediaType string            `json:"mediaType"`
	Size      int               `json:"size"`
	Digest    string            `json:"digest"`
	Platform  map[string]string `json:"platform,omitempty"`
}

const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	indexType    = "application/vnd.oci.image.index.v1+json"
)

// send puts something into the registry.
func (r testRegistry) send(t *testing.T, method, path, kind string, content any) descriptor {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	made := descriptor{MediaType: kind, Size: len(text), Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(text))}
	request, err := http.NewRequestWithContext(t.Context(), method, "https://"+r.address+"/v2/pause/"+strings.ReplaceAll(path, "DIGEST", made.Digest), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	answer, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", request.URL, answer.Status)
	}
	return made
}

// image puts an image for one platform into the registry.
func (r testRegistry) image(t *testing.T, tag string, platform map[string]string) descriptor {
	t.Helper()
	const configType = "application/vnd.oci.image.config.v1+json"
	config := r.send(t, http.MethodPost, "blobs/uploads/?digest=DIGEST", configType, map[string]any{
		"os": platform["os"], "architecture": platform["architecture"], "rootfs": map[string]any{"type": "layers", "diff_ids": []string{}},
	})
	made := r.send(t, http.MethodPut, "manifests/"+tag, manifestType, map[string]any{
		"schemaVersion": 2, "mediaType": manifestType, "config": config, "layers": []descriptor{},
	})
	made.Platform = platform
	return made
}

// index puts an image for some platforms into the registry.
func (r testRegistry) index(t *testing.T, tag string, platforms ...map[string]string) string {
	t.Helper()
	var all []descriptor
	for _, platform := range platforms {
		all = append(all, r.image(t, "DIGEST", platform))
	}
	return r.send(t, http.MethodPut, "manifests/"+tag, indexType, map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": all}).Digest
}

// platforms are those of an image in the registry's manifest list.
func (r testRegistry) platforms(t *testing.T, tag string) []map[string]string {
	t.Helper()
	answer, err := r.client.Get("https://" + r.address + "/v2/pause/manifests/" + tag)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct{ Manifests []descriptor }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	var platforms []map[string]string
	for _, one := range list.Manifests {
		platforms = append(platforms, one.Platform)
	}
	return platforms
}
