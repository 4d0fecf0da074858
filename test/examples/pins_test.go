package examples

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/pins"
	"kinit/engine"
	"kinit/inventories"
	"kinit/specs"
)

func shippedPins(t *testing.T) pins.List {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, "pins.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := pins.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// shippedFiles are all files inside the program but the pins and sums of Go modules: name → text.
func shippedFiles(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for root, tree := range map[string]fs.FS{"specs": specs.FS, "inventories": inventories.FS} {
		err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name == "pins.json" || strings.HasPrefix(path.Base(name), "go.") || strings.HasSuffix(name, "README.md") {
				return err
			}
			text, err := fs.ReadFile(tree, name)
			all[path.Join(root, name)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// outside finds what could be fetched from other machines: addresses of sites, and images
// of registries with their tags.
var outside = []*regexp.Regexp{
	regexp.MustCompile(`https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}[^\s"')]*`),
	regexp.MustCompile(`\b(?:docker\.io|registry\.k8s\.io|ghcr\.io|quay\.io|gcr\.io|mcr\.microsoft\.com|public\.ecr\.aws)/[a-z0-9*][^\s"',)]*`),
}

// notFetched are names of other machines that nothing is fetched from, by the beginning of
// what is found and the folder or file that may have it.
var notFetched = []struct{ where, found, why string }{
	{"specs/lab/files/conformance/", "", "names of images that the scripts build or leave out"},
}

func TestNothingThatShipsFetchesButWhatIsAmongThePins(t *testing.T) {
	t.Parallel()
	used := map[int]bool{}
	for name, text := range shippedFiles(t) {
		for _, pattern := range outside {
			for _, found := range pattern.FindAllString(text, -1) {
				known := false
				for i, except := range notFetched {
					if strings.HasPrefix(name, except.where) && strings.HasPrefix(found, except.found) {
						known, used[i] = true, true
					}
				}
				if !known {
					t.Errorf("%s names %s, which is not among the pins: put it into specs/pins.json", name, found)
				}
			}
		}
	}
	for i, except := range notFetched {
		if !used[i] {
			t.Errorf("nothing in %s has %q (%s) any more", except.where, except.found, except.why)
		}
	}
}

// release finds versions of three numbers, which addresses are not.
var release = regexp.MustCompile(`(?:^|[^0-9.])(v?[0-9]+\.[0-9]+\.[0-9]+)(?:[^0-9.]|\.?$|\.[^0-9])`)

// notReleases are versions that choose nothing that is fetched, by the file that has them.
var notReleases = []struct{ where, found, why string }{
	{"specs/kubeadm/", "0.3.1", "the version of the format of CNI's files"},
	{"specs/", "1.0.0", "the version of the format of OCI layouts, and of CNI's files"},
	{"specs/kubeadm/windows.hcl", "3.10.2", "a description says which pause image is the first for a Windows"},
	{"specs/lab/files/modules.sh", "v0.9.1", "a Go module, which Go's checksum database verifies"},
	{"specs/lab/files/mirror-exporter.sh", "1.11.1", "a Go module, which Go's checksum database verifies"},
	{"specs/lab/files/build-calico.sh", "v1.11.0", "a Go module, which Go's checksum database verifies"},
	{"specs/lab/files/build-calico.sh", "v0.0.0", "a Go module, which Go's checksum database verifies"},
}

func TestVersionsAreAmongThePins(t *testing.T) {
	t.Parallel()
	used := map[int]bool{}
	for name, text := range shippedFiles(t) {
		for _, m := range release.FindAllStringSubmatch(text, -1) {
			known := false
			for i, except := range notReleases {
				if strings.HasPrefix(name, except.where) && (except.found == "" || m[1] == except.found) {
					known, used[i] = true, true
				}
			}
			if !known {
				t.Errorf("%s has the version %s, which is not among the pins: put it into specs/pins.json", name, m[1])
			}
		}
	}
	for i, except := range notReleases {
		if !used[i] {
			t.Errorf("nothing in %s has %q (%s) any more", except.where, except.found, except.why)
		}
	}
}

func TestNothingThatShipsIsTheLatest(t *testing.T) {
	t.Parallel()
	texts := shippedFiles(t)
	for name, pin := range shippedPins(t) {
		texts["the pin "+name] = strings.Join([]string{pin.Version, pin.Reference(), pin.SHA256URL, pin.SHA512URL}, " ")
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "latest") && !strings.Contains(line, "Documentation=") {
				t.Errorf("%s says latest: %s", name, line)
			}
		}
	}
}

func TestEveryPinIsUsedAndItsAddressHasItsVersion(t *testing.T) {
	t.Parallel()
	playbooks := ""
	for name, text := range shippedFiles(t) {
		if strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, "/systems.json") {
			playbooks += text
		}
	}
	for name, pin := range shippedPins(t) {
		if !regexp.MustCompile(`[".]` + name + `\b`).MatchString(playbooks) {
			t.Errorf("no playbook uses the pin %s", name)
		}
		if pin.Used == "" {
			t.Errorf("the pin %s does not say who needs it", name)
		}
		number, _, _ := strings.Cut(pin.Version, "-")
		if pin.URL != "" && !strings.Contains(pin.URL, number) {
			t.Errorf("the pin %s has the version %s and the address %s", name, pin.Version, pin.URL)
		}
	}
}

// The lab's scripts read the list without a program of kinit's.
func TestScriptsOfTheLabReadThePins(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(labFiles)
	if err != nil {
		t.Fatal(err)
	}
	var ask, want strings.Builder
	list := shippedPins(t)
	for _, name := range list.Names() {
		pin := list[name]
		for field, value := range map[string]string{"version": pin.Version, "image": pin.Image, "url": pin.URL} {
			if value != "" {
				ask.WriteString("pinned " + name + " " + field + "\n")
				want.WriteString(value + "\n")
			}
		}
	}
	read := func(script string) (string, error) {
		out, err := exec.CommandContext(t.Context(), "sh", "-euc", "here="+here+"; . $here/pins.sh\n"+script).CombinedOutput()
		return string(out), err
	}
	if got, err := read(ask.String()); err != nil || got != want.String() {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want.String(), got))
	}
	if got, err := read("echo $debian"); err != nil || got != "http://deb.debian.org/debian\n" {
		t.Errorf("Debian's archive is %q, %v", got, err)
	}
	for _, lacking := range []string{"pinned nothing version", "pinned busybox url"} {
		if got, err := read(lacking + "; echo went on"); err == nil || !strings.Contains(got, "pins.json has no ") || strings.Contains(got, "went on") {
			t.Errorf("%s: %q, %v", lacking, got, err)
		}
	}
}

// evaluate opens a spec and evaluates an expression that is a list of texts.
func evaluate(t *testing.T, o engine.Options, expression string) []string {
	t.Helper()
	scope, report := engine.Open(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	text, diags := scope.Eval("jsonencode(" + expression + ")")
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	var inner string
	var list []string
	if err := json.Unmarshal([]byte(text), &inner); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := json.Unmarshal([]byte(inner), &list); err != nil {
		t.Fatalf("%s: %v", inner, err)
	}
	return list
}

// pinned are the options of a spec with a file that has a digest for each pin.
func pinned(t *testing.T, spec string) (engine.Options, pins.List) {
	t.Helper()
	o := options(t, spec)
	o.Hosts = []string{"a"}
	list := shippedPins(t)
	for i, name := range list.Names() {
		pin := list[name]
		pin.Digest = "sha256:" + strings.Repeat("0", 62) + string(rune('a'+i/6%6)) + string(rune('a'+i%6))
		list[name] = pin
	}
	o.VarFiles = []string{varFile(t, list)}
	return o, list
}

// unpinned is a file for --var-file by which no pin has a digest, whichever ship with kinit.
func unpinned(t *testing.T) string {
	t.Helper()
	list := shippedPins(t)
	for _, name := range list.Names() {
		pin := list[name]
		pin.Digest = ""
		list[name] = pin
	}
	return varFile(t, list)
}

func varFile(t *testing.T, list pins.List) string {
	t.Helper()
	text, err := list.Text()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pins.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWhatIsPinnedIsFetchedByItsDigest(t *testing.T) {
	t.Parallel()
	o, list := pinned(t, "k8s-podman-1-1-1")
	hex := func(name string) string { return strings.TrimPrefix(list[name].Digest, "sha256:") }
	want := []string{
		"docker.io/library/haproxy@" + list["haproxy"].Digest,
		"docker://registry.k8s.io/kube-apiserver@" + list["kube_apiserver"].Digest,
		"docker.io/library/debian@" + list["debian_node"].Digest,
		"registry.k8s.io/pause:3.10.1",
		hex("kubelet"), "",
		hex("debian_guest"), "", "",
		hex("calico_operator"),
		hex("windows_containerd"), "",
	}
	got := evaluate(t, o, `[
		local.service_images.haproxy.name,
		local.container_images["registry.k8s.io/kube-apiserver:v1.34.4"],
		local.node_images.debian_node.name,
		local.pause_image,
		local.kubernetes_programs.kubelet.sha256, local.kubernetes_programs.kubelet.sha256_url,
		local.downloads.debian_guest.sha256, local.downloads.debian_guest.sha256_url, local.downloads.debian_guest.sha512_url,
		local.calico_operator.sha256,
		local.payload_defaults.containerd.sha256, local.payload_defaults.containerd.sha256_url,
	]`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
	if got := evaluate(t, o, "local.unpinned"); len(got) > 0 {
		t.Errorf("without a digest: %v", got)
	}
	if err := engine.Validate(t.Context(), o).Diagnostics.Err(); err != nil {
		t.Error(err)
	}
}

// A download that leaves out the SHA-512 of a pin would be fetched unverified.
func TestDownloadsTakeADigestOfEitherKind(t *testing.T) {
	t.Parallel()
	found := 0
	for name, text := range shippedFiles(t) {
		if !strings.HasPrefix(name, "specs/") || !strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".tmpl.hcl") {
			continue
		}
		for _, task := range tasksOf(parse(t, name, []byte(text))) {
			if task.Labels[0] != "download" || task.Body.Attributes["sha256"] == nil {
				continue
			}
			found++
			if task.Body.Attributes["sha512"] == nil {
				t.Errorf("%s has the download %q with sha256 and without sha512", name, task.Labels[1])
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d downloads have a digest", found)
	}
}

func TestOtherVersionsAndSitesOfKubernetesKeepTheDigestsThatFit(t *testing.T) {
	t.Parallel()
	expression := "[local.kubernetes_programs.kubeadm.url, local.kubernetes_programs.kubeadm.sha256, local.kubernetes_programs.kubeadm.sha256_url]"
	mirrored, list := pinned(t, "k8s-podman-1-1-1")
	mirrored.Vars["kubernetes_url"] = "https://mirror.example/k"
	want := []string{"https://mirror.example/k/v1.34.4/bin/linux/amd64/kubeadm", strings.TrimPrefix(list["kubeadm"].Digest, "sha256:"), ""}
	if diff := cmp.Diff(want, evaluate(t, mirrored, expression)); diff != "" {
		t.Errorf("a mirror (-want +got):\n%s", diff)
	}
	newer, _ := pinned(t, "k8s-podman-1-1-1")
	newer.Vars["kubernetes_version"], newer.Vars["allow_untested"], newer.Vars["allow_unpinned"] = "v1.35.0", "true", "true"
	url := "https://dl.k8s.io/release/v1.35.0/bin/linux/amd64/kubeadm"
	if diff := cmp.Diff([]string{url, "", url + ".sha256"}, evaluate(t, newer, expression)); diff != "" {
		t.Errorf("another version (-want +got):\n%s", diff)
	}
}

func TestFileCanBeHeldToItsSHA512(t *testing.T) {
	t.Parallel()
	expression := "[for d in [local.downloads.debian_guest, local.kubernetes_windows, local.kubernetes_programs.kubeadm, local.calico_operator] : d.sha256 == \"\" ? d.sha512 : d.sha256]"
	list := shippedPins(t)
	var want []string
	for i, name := range []string{"debian_guest", "windows_kubernetes", "kubeadm", "calico_operator"} {
		pin := list[name]
		want = append(want, strings.Repeat(string(rune('a'+i)), 128))
		pin.Digest = "sha512:" + want[i]
		list[name] = pin
	}
	for _, site := range []string{"", "https://mirror.example/k"} {
		o := options(t, "k8s-podman-1-1-1")
		o.Hosts, o.VarFiles = []string{"a"}, []string{varFile(t, list)}
		if site != "" {
			o.Vars["kubernetes_url"] = site
		}
		if diff := cmp.Diff(want, evaluate(t, o, expression)); diff != "" {
			t.Errorf("site %q (-want +got):\n%s", site, diff)
		}
	}
}

func TestWhatShipsLacksADigestOnlyWhereThisListSaysSo(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string][]string{
		"bare-libvirt-1-1-1": {},
		"bare-podman-1-1-1":  {},
		"k8s-libvirt-1-1-1":  {"flannel", "flannel_cni_plugin"},
		"k8s-podman-1-1-1":   {"flannel", "flannel_cni_plugin"},
		"k3s-podman-1-1-1":   {"k3s_images", "k3s"},
		"rke2-libvirt-1-1-1": {"rke2_images", "rke2"},
	} {
		o := options(t, spec)
		o.Hosts = []string{"a"}
		if diff := cmp.Diff(want, evaluate(t, o, "local.unpinned")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
	}
}

func TestRunThatWouldFetchWithoutADigestRefusesUnlessItMay(t *testing.T) {
	t.Parallel()
	refused := func(o engine.Options) string {
		o.Only, o.Hosts = []string{"task.assert.pins"}, []string{"localhost"}
		if err := engine.Run(t.Context(), o).Diagnostics.Err(); err != nil {
			return err.Error()
		}
		return ""
	}
	bare := options(t, "bare-podman-1-1-1")
	bare.StateDir, bare.VarFiles = t.TempDir(), []string{unpinned(t)}
	want := "What would be fetched has no digest that it could be held to: bind9, haproxy, registry, nginx, debian_node. " +
		"Run 'kinit pins renew --file pins.json' once and give runs --var-file pins.json; or allow it by --var allow_unpinned=true."
	if got := refused(bare); !strings.Contains(got, want) {
		t.Errorf("error %s, want %s", got, want)
	}
	bare.Vars["allow_unpinned"] = "true"
	if got := refused(bare); got != "" {
		t.Errorf("allowed, and yet: %s", got)
	}
	delete(bare.Vars, "allow_unpinned")
	bare.Vars["node_image"] = `{name = "localhost/node:1", archive = "/node.tar"}`
	if got := refused(bare); strings.Contains(got, "debian_node") || !strings.Contains(got, "haproxy") {
		t.Errorf("error %s, want one that names all but the image that was given", got)
	}
	all, _ := pinned(t, "bare-podman-1-1-1")
	all.StateDir = t.TempDir()
	if got := refused(all); got != "" {
		t.Errorf("all pinned, and yet: %s", got)
	}
}

func TestPinsThatThisKinitDoesNotKnowAreNamed(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]string{
		"These pins have names that this kinit does not know: hapoxy.":                          `{hapoxy = {version = "1", image = "a/b"}}`,
		"A pin has an image or a url, and not both: haproxy.":                                   `{haproxy = {version = "1"}}`,
		"A digest is sha256: and 64 hexadecimal digits, or of a file sha512: and 128: haproxy.": `{haproxy = {version = "1", image = "a/b", digest = "sha512:` + strings.Repeat("0", 128) + `"}}`,
	} {
		o := options(t, "bare-podman-1-1-1")
		o.Hosts, o.Vars["pins"] = []string{"a"}, value
		err := engine.Validate(t.Context(), o).Diagnostics.Err()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Which parts of a cluster name pins of their own.
func TestOnlyWhatAClusterFetchesNeedsADigest(t *testing.T) {
	t.Parallel()
	services := []string{"bind9", "haproxy", "nginx", "registry"}
	for _, tc := range []struct {
		spec string
		vars map[string]string
		want []string
	}{
		{"bare-libvirt-1-1-1", nil, []string{"debian_guest"}},
		{"bare-libvirt-1-1-1", map[string]string{"compute_os": "debian-13"}, []string{"debian_13_guest", "debian_guest"}},
		{"k8s-podman-1-1-1", map[string]string{"compute_os": "ubuntu-22.04", "container_images": `{"a/b:1" = "oci:/i:b"}`, "kubernetes_preinstalled": "true"}, []string{"debian_node", "ubuntu_22_04_node"}},
		{"k8s-podman-1-1-1", map[string]string{"kubernetes_version": "v1.34.3", "allow_unpinned": "true"}, []string{"busybox", "debian_node", "flannel", "flannel_cni_plugin"}},
		{"bare-libvirt-1-1-1", map[string]string{"guest_image": `{url = "file:///g.qcow2", sha256 = "` + strings.Repeat("0", 64) + `"}`}, nil},
		{"k8s-podman-1-1-1", map[string]string{"container_images": `{"a/b:1" = "oci:/i:b"}`, "kubernetes_preinstalled": "true"}, []string{"debian_node"}},
		{"k8s-podman-1-1-1", map[string]string{"container_images": `{"a/b:1" = "oci:/i:b"}`}, []string{"debian_node", "kubeadm", "kubectl", "kubelet"}},
		{"k3s-podman-1-1-1", nil, []string{"busybox", "debian_node", "k3s", "k3s_images", "kubectl"}},
		{"rke2-podman-1-1-1", map[string]string{"container_images": `{"a/b:1" = "oci:/i:b"}`, "kubectl": "/usr/bin/kubectl"}, []string{"debian_node", "rke2", "rke2_images"}},
		{"rke2-podman-1-1-1", map[string]string{"kubernetes_version": "v1.34.5+rke2r1", "allow_untested": "true"}, []string{"busybox", "debian_node", "kubectl"}},
		{"k8s-podman-1-1-1", map[string]string{"container_images": `{"a/b:1" = "oci:/i:b"}`, "kubernetes_version": "v1.35.0", "allow_untested": "true", "pod_network": "calico-vxlan"}, []string{"calico_definitions", "calico_manifest", "debian_node"}},
	} {
		o := options(t, tc.spec)
		o.Hosts, o.VarFiles = []string{"a"}, []string{unpinned(t)}
		for name, value := range tc.vars {
			o.Vars[name] = value
		}
		got := evaluate(t, o, "local.unpinned")
		slices.Sort(got)
		want := slices.Sorted(slices.Values(slices.Concat(services, tc.want)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tc.spec, tc.vars, diff)
		}
	}
}
