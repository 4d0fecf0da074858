package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/need"
)

// artifacts are the options of the lab's artifacts, for the tasks that get the programs.
func artifacts(t *testing.T, cache, url string) engine.Options {
	t.Helper()
	o := options(t, "lab-artifacts")
	o.Hosts, o.StateDir, o.Inventories, o.VarFiles = []string{"localhost"}, t.TempDir(), nil, []string{unpinned(t)}
	o.Only = []string{"task.assert.sites", "task.directory.scripts", "task.copy.script", "task.command.choice", "task.debug.choice", "task.command.programs", "task.command.link"}
	o.Vars = map[string]string{"lab_cache": cache}
	if url != "" {
		for variable, path := range map[string]string{"kubernetes_url": "/k8s/", "etcd_url": "/etcd", "coredns_url": "/coredns", "flannel_url": "/flannel", "flannel_cni_url": "/cni"} {
			o.Vars[variable] = url + path
		}
	}
	return o
}

// get runs the tasks and returns what was chosen, which tasks changed something, and the error.
func get(t *testing.T, o engine.Options, mode string) (why string, changed []string, problem string) {
	t.Helper()
	events := &told{all: map[string]string{}}
	o.Vars["lab_artifacts"], o.Events = mode, events
	report := engine.Run(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		problem = err.Error()
	}
	for _, r := range report.Results {
		if r.Status == event.Changed && strings.HasPrefix(r.Address, "task.command.") {
			changed = append(changed, strings.TrimPrefix(r.Address, "task.command."))
		}
		if r.Status == event.Failed {
			problem += r.Message
		}
	}
	slices.Sort(changed)
	return strings.TrimPrefix(events.all["task.debug.choice"], "ok "), changed, problem
}

func TestLabDownloadsWhatUpstreamReleasesInTheVersionsThatItBuilds(t *testing.T) {
	t.Parallel()
	o := artifacts(t, t.TempDir(), "")
	const k8s, github = "https://dl.k8s.io/release/v1.34.4/bin/linux/amd64/", "https://github.com/"
	var want []string
	for _, name := range []string{"kubeadm", "kubelet", "kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		want = append(want, name+" "+k8s+name+" published "+k8s+name+".sha256 kubernetes_url")
	}
	etcd, coredns := github+"etcd-io/etcd/releases/download/v3.6.5/", github+"coredns/coredns/releases/download/v1.12.1/coredns_1.12.1_linux_amd64.tgz"
	want = append(want,
		"etcd "+etcd+"etcd-v3.6.5-linux-amd64.tar.gz published "+etcd+"SHA256SUMS etcd_url",
		"etcdutl "+etcd+"etcd-v3.6.5-linux-amd64.tar.gz published "+etcd+"SHA256SUMS etcd_url",
		"coredns "+coredns+" published "+coredns+".sha256 coredns_url",
		"flanneld "+github+"flannel-io/flannel/releases/download/v0.26.7/flanneld-amd64 build - flannel_url",
		"flannel-cni "+github+"flannel-io/cni-plugin/releases/download/v1.6.2-flannel1/flannel-amd64 build - flannel_cni_url",
	)
	slices.Sort(want)
	sorted := func(o engine.Options) []string {
		lines := evaluate(t, o, `split("\n", local.lines)`)
		slices.Sort(lines)
		return lines
	}
	if diff := cmp.Diff(want, sorted(o)); diff != "" {
		t.Errorf("downloads (-want +got):\n%s", diff)
	}
	if others := evaluate(t, o, "local.other_versions"); len(others) > 0 {
		t.Errorf("these pins have other versions than what is built: %v", others)
	}

	// A digest of a pin is what counts, on every site.
	with, list := pinned(t, "lab-artifacts")
	with.Vars["lab_cache"], with.Vars["flannel_url"] = t.TempDir(), "http://mirror.example/flannel/"
	hex := func(name string) string { return strings.TrimPrefix(list[name].Digest, "sha256:") }
	lines := sorted(with)
	for _, want := range []string{
		"kube-apiserver " + k8s + "kube-apiserver digest " + hex("kube_apiserver_program") + " kubernetes_url",
		"flanneld http://mirror.example/flannel/v0.26.7/flanneld-amd64 digest " + hex("flannel_program") + " flannel_url",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %s among %s", want, strings.Join(lines, "\n"))
		}
	}
}

func TestLabChecksWhatComesWithoutHTTPSByDigestsAlone(t *testing.T) {
	t.Parallel()
	o := artifacts(t, t.TempDir(), newReleases(t).plain(t))
	want := "There is neither a digest nor a checksum over https of what would be downloaded: coredns, etcd, etcdutl, kube-apiserver, kube-controller-manager, kube-proxy, kube-scheduler, kubeadm, kubectl, kubelet."
	if _, _, problem := get(t, o, "download"); !strings.Contains(problem, want) {
		t.Errorf("error %s, want %s", problem, want)
	}
	o.Vars["flannel_url"], o.Vars["etcd_url"] = "ftp://x", "https://joe:secret@x"
	want = "A site is http:// or https://, and has no user in it: etcd_url, flannel_url."
	if _, _, problem := get(t, o, "auto"); !strings.Contains(problem, want) {
		t.Errorf("error %s, want %s", problem, want)
	}
}

func TestLabDownloadsNoOtherVersionsThanItIsMadeFor(t *testing.T) {
	t.Parallel()
	o := artifacts(t, t.TempDir(), "")
	o.Vars["pins"] = `{kubelet = {version = "v1.33.0", url = "https://dl.k8s.io/release/v1.33.0/bin/linux/amd64/kubelet", digest = "sha256:` + strings.Repeat("0", 64) + `"}}`
	want := "These pins have other versions than what is built (v1.12.1, v3.6.5, v1.6.2-flannel1, v0.26.7, v1.34.4), for which the lab's images are made: kubelet v1.33.0."
	if _, _, problem := get(t, o, "download"); !strings.Contains(problem, want) {
		t.Errorf("error %s, want %s", problem, want)
	}
	// Nothing that is downloaded stands in the way of building.
	o.Only = []string{"task.command.choice", "task.debug.choice"}
	if why, _, problem := get(t, o, "auto"); problem != "" || why != "The lab's programs are built from Go modules. "+want {
		t.Errorf("%s, error %s, want %s", why, problem, want)
	}
}

func TestLabNeverMixesDownloadedAndBuiltPrograms(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	cache, site := t.TempDir(), newReleases(t)
	url := site.plain(t)
	o := artifacts(t, cache, url)
	o.Vars["allow_unpinned"] = "true"
	stamp := evaluate(t, o, "[local.by_choice.build.stamp, local.by_choice.download.stamp]")
	if stamp[0] == stamp[1] {
		t.Errorf("both kinds have the stamp %s", stamp[0])
	}
	probe := url + binaries + "kubeadm.sha256"
	both, one := []string{"link", "programs"}, []string{"link"}
	for _, step := range []struct {
		what, mode string
		before     func()
		link, why  string
		changed    []string
	}{
		{"first", "auto", nil, "downloaded", "The lab's programs are downloaded: " + probe + " answers.", both},
		{"again, without the site", "auto", func() { site.fault(binaries+"kubeadm.sha256", hang) }, "downloaded", "The lab's programs were downloaded before.", nil},
		// In place of minutes of building: its stamp.
		{"built", "build", func() { write(t, filepath.Join(cache, ".made-kubernetes-"+stamp[0])) }, ".", "The lab's programs are built from Go modules, as --artifacts build says.", one},
		{"built, again", "auto", nil, ".", "The lab's programs were built before; --artifacts download downloads them.", nil},
		{"downloaded", "download", nil, "downloaded", "The lab's programs are downloaded, as --artifacts download says.", one},
	} {
		if step.before != nil {
			step.before()
		}
		why, changed, problem := get(t, o, step.mode)
		if link, _ := os.Readlink(filepath.Join(cache, "programs")); problem != "" || link != step.link || why != step.why || !slices.Equal(changed, step.changed) {
			t.Errorf("%s: %q, changed %v, leads to %s, error %s; want %q, %v, %s", step.what, why, changed, link, problem, step.why, step.changed, step.link)
		}
	}
	if got := list(t, filepath.Join(cache, "programs")); !slices.Equal(got, []string{"SOURCES", "coredns", "etcd", "etcdutl", "flannel-cni", "flanneld", "kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubeadm", "kubectl", "kubelet"}) {
		t.Errorf("there are %v", got)
	}
}

func TestDownloadThatFailsAfterTheProbeBuildsNothing(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	cache, site := t.TempDir(), newReleases(t)
	url := site.plain(t)
	o := artifacts(t, cache, url)
	o.Vars["allow_unpinned"] = "true"
	path := binaries + "kube-proxy"
	site.fault(path, other("another"))
	_, changed, problem := get(t, o, "auto")
	for _, want := range []string{
		"kube-proxy: " + url + path + " is not what it should be: its sha256 is " + sum([]byte("another")),
		"--var kubernetes_url=URL names another site with the same layout, --artifacts build builds the programs on this machine instead. " +
			"It was chosen because the release site answered, and nothing is built instead without being asked, because that takes minutes.",
	} {
		if !strings.Contains(problem, want) {
			t.Errorf("error %s, want %s", problem, want)
		}
	}
	if len(changed) > 0 {
		t.Errorf("changed %v", changed)
	}
	for _, name := range list(t, cache) {
		if name != "downloads" && name != "scripts" {
			t.Errorf("%s is left", name)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
