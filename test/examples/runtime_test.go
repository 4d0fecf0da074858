package examples

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/specs"
	"kinit/test/executable"
)

// runtimePrograms are the places of programs in Debian's packages.
var runtimePrograms = []string{
	"usr/bin/containerd", "usr/bin/containerd-shim-runc-v2", "usr/bin/ctr", "usr/sbin/runc", "usr/lib/cni/bridge", "usr/lib/cni/loopback",
}

func TestTheContainerRuntimeIsFromPackagesOrFromUpstream(t *testing.T) {
	t.Parallel()
	const expression = `concat([join(" ", local.node_packages)], [for name in keys(local.runtime_files) : "${name} ${local.runtime_files[name].url} ${local.runtime_files[name].sha256}"], local.runtime_nodes, [local.cni_folder])`
	rest := "iptables nftables conntrack ethtool socat ipset ebtables"
	list := shippedPins(t)
	files := func(site string) []string {
		var all []string
		for name, pin := range map[string]string{"cni": "cni_plugins", "containerd": "containerd", "crictl": "crictl", "runc": "runc"} {
			p := list[pin]
			all = append(all, name+" "+strings.Replace(p.URL, "https://github.com", site, 1)+" "+strings.TrimPrefix(p.Digest, "sha256:"))
		}
		slices.Sort(all)
		return all
	}
	for name, tc := range map[string]struct {
		vars map[string]string
		want []string
	}{
		"packages": {nil, slices.Concat([]string{"containerd runc containernetworking-plugins " + rest}, files("https://github.com"), []string{"/usr/lib/cni"})},
		"upstream": {map[string]string{"container_runtime": "upstream"},
			slices.Concat([]string{rest}, files("https://github.com"), []string{"k8s-podman-compute-01", "k8s-podman-controller-01", "/usr/local/lib/kinit/runtime/cni"})},
		"a mirror": {map[string]string{"container_runtime": "upstream", "runtime_url": "http://mirror.example/github/"},
			slices.Concat([]string{rest}, files("http://mirror.example/github"), []string{"k8s-podman-compute-01", "k8s-podman-controller-01", "/usr/local/lib/kinit/runtime/cni"})},
	} {
		o := options(t, "k8s-podman-1-1-1")
		o.Hosts = []string{"a"}
		for key, value := range tc.vars {
			o.Vars[key] = value
		}
		if diff := cmp.Diff(tc.want, evaluate(t, o, expression)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Without digests, what is published beside the files is at the mirror too.
func TestAMirrorOfTheRuntimeHasItsChecksums(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Hosts, o.VarFiles = []string{"a"}, []string{unpinned(t)}
	o.Vars["container_runtime"], o.Vars["runtime_url"] = "upstream", "https://mirror.example"
	want := []string{"", "https://mirror.example/opencontainers/runc/releases/download/v1.3.3/runc.sha256sum"}
	if diff := cmp.Diff(want, evaluate(t, o, "[local.runtime_files.runc.sha256, local.runtime_files.runc.sha256_url]")); diff != "" {
		t.Errorf("runc (-want +got):\n%s", diff)
	}
	want = []string{"cni_plugins", "containerd", "crictl", "runc"}
	lacking := slices.DeleteFunc(evaluate(t, o, "local.unpinned"), func(name string) bool { return !slices.Contains(want, name) })
	slices.Sort(lacking)
	if diff := cmp.Diff(want, lacking); diff != "" {
		t.Errorf("without a digest (-want +got):\n%s", diff)
	}
}

func TestTheSiteOfTheRuntimeIsSaidWell(t *testing.T) {
	t.Parallel()
	for variable, tc := range map[string]struct{ value, want string }{
		"container_runtime": {"docker", `The container runtime is "packages" or "upstream".`},
		"runtime_url":       {"ftp://mirror.example", "A site is http:// or https://, and has no user in it."},
	} {
		o := options(t, "k8s-podman-1-1-1")
		o.Hosts, o.Vars[variable] = []string{"a"}, tc.value
		err := engine.Validate(t.Context(), o).Diagnostics.Err()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", variable, err, tc.want)
		}
	}
}

// What the lab serves is where clusters look for it, and has in it what they link to.
func TestTheLabServesReleasesOfARuntime(t *testing.T) {
	t.Parallel()
	root, site := t.TempDir(), t.TempDir()
	for _, name := range runtimePrograms {
		put(t, filepath.Join(root, name), filepath.Base(name))
	}
	o := options(t, "lab-artifacts")
	o.Vars["lab_cache"] = t.TempDir()
	releases := evaluate(t, o, "[local.mirrored_releases]")[0]
	digests := filepath.Join(t.TempDir(), "digests.txt")
	env := []string{"SITE=" + site, "RELEASES=" + releases, "DIGESTS=" + digests}
	if problem := script(t, env, "lab/files/mirror-runtime.sh", root); problem != "" {
		t.Fatal(problem)
	}
	said, err := os.ReadFile(digests)
	if err != nil {
		t.Fatal(err)
	}
	cluster := options(t, "k8s-podman-1-1-1")
	cluster.Hosts, cluster.Vars["container_runtime"] = []string{"a"}, "upstream"
	cluster.Vars["runtime_url"] = "http://mirror.example"
	place := t.TempDir()
	for _, line := range evaluate(t, cluster, `[for name, file in local.runtime_files : "${name} ${local.runtime_pins[name]} ${file.url} ${local.runtime_dest[name]}"]`) {
		name, pin, url, dest := words(line)
		file := filepath.Join(site, strings.TrimPrefix(url, "http://mirror.example/"))
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := pin + " sha256:" + sum(content) + "\n"; !strings.Contains(string(said), want) {
			t.Errorf("digests %s, want %s", said, want)
		}
		if !strings.HasSuffix(dest, "gz") {
			if string(content) != "runc" {
				t.Errorf("%s is %q, want Debian's", name, content)
			}
			continue
		}
		if err := os.Mkdir(filepath.Join(place, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "tar", "-C", filepath.Join(place, name), "-xzf", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, target := range evaluate(t, cluster, "values(local.runtime_links)") {
		if info, err := os.Stat(filepath.Join(place, target)); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v", target, info, err)
		}
	}
	for _, name := range []string{"bridge", "loopback"} {
		if content, err := os.ReadFile(filepath.Join(place, "cni", name)); err != nil || string(content) != name {
			t.Errorf("the plugin %s: %q, %v", name, content, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(site, ".parts*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The script with its folder in place of /opt/cni/bin.
func TestPluginsAreLinkedAndForeignOnesStay(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(specs.FS, "kubeadm/files/cni.sh")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	here := strings.NewReplacer("/opt/cni/bin", folder+"/opt", "/usr/lib/cni/", folder+"/usr/", "/usr/local/lib/kinit/", folder+"/kinit/").Replace(string(text))
	run := func(verb, from string) error {
		return exec.CommandContext(t.Context(), "sh", "-c", here, "cni", verb, filepath.Join(folder, from)).Run()
	}
	for _, name := range []string{"usr/bridge", "usr/loopback", "kinit/cni/bridge", "kinit/cni/loopback", "opt/loopback"} {
		put(t, filepath.Join(folder, name), name)
	}
	for _, from := range []string{"usr", "kinit/cni"} {
		if err := os.WriteFile(filepath.Join(folder, from, "LICENSE"), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []string{"usr", "kinit/cni", "usr"} {
		if err := run("check", from); err == nil {
			t.Errorf("%s: the check finds nothing before", from)
		}
		if err := run("link", from); err != nil {
			t.Errorf("%s: %v", from, err)
		}
		if err := run("check", from); err != nil {
			t.Errorf("%s: the check finds something after", from)
		}
		for name, want := range map[string]string{"bridge": from + "/bridge", "loopback": "opt/loopback"} {
			if content, err := os.ReadFile(filepath.Join(folder, "opt", name)); err != nil || string(content) != want {
				t.Errorf("%s: %s is %q, %v, want %s", from, name, content, err, want)
			}
		}
		if _, err := os.Lstat(filepath.Join(folder, "opt", "LICENSE")); err == nil {
			t.Errorf("%s: what is no program is linked", from)
		}
	}
}

// put makes a program with its folders.
func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	executable.Write(t, name, content)
}

// words are the four words of a line.
func words(line string) (a, b, c, d string) {
	all := strings.Fields(line)
	return all[0], all[1], all[2], all[3]
}
