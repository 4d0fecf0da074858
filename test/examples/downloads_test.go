package examples

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/need"
	"kinit/test/executable"
)

const labFiles = "../../specs/lab/files/"

// downloads is the script that downloads programs, with a site to download from.
type downloads struct {
	*releases
	t       *testing.T
	scripts string
	url     string
	env     []string
	out     string
}

// newDownloads has a site with https, whose certificate the script knows.
func newDownloads(t *testing.T) *downloads {
	t.Helper()
	need.Programs(t, "curl", "curl")
	d := &downloads{releases: newReleases(t), t: t, out: filepath.Join(t.TempDir(), "out")}
	server := httptest.NewTLSServer(d.releases)
	t.Cleanup(server.Close)
	d.url = server.URL
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, block, 0o600); err != nil {
		t.Fatal(err)
	}
	d.scripts = labFiles
	d.env = append(os.Environ(), "CURL_CA_BUNDLE="+certificate, "SILENCE=60", "CHOSEN=")
	return d
}

// command runs the script with lines whose URLs begin at the site.
func (d *downloads) command(lines ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.t.Context(), "sh", filepath.Join(d.scripts, "build-downloaded.sh"), d.out)
	cmd.Env = append(slices.Clone(d.env), "DOWNLOADS="+strings.ReplaceAll(strings.Join(lines, "\n"), "SITE", d.url))
	return cmd
}

// run returns what the script said, and the error that it ended with, without its own name.
func (d *downloads) run(lines ...string) (said, problem string) {
	var out, err bytes.Buffer
	cmd := d.command(lines...)
	cmd.Stdout, cmd.Stderr = &out, &err
	failed := cmd.Run()
	if (failed != nil) != (err.Len() > 0) {
		d.t.Fatalf("%v: %s%s", failed, out.String(), err.String())
	}
	return out.String(), strings.TrimPrefix(strings.TrimSpace(err.String()), "build-downloaded.sh: ")
}

// files are all files below the output folder, with what they have where they are small.
func (d *downloads) files() map[string]string {
	d.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(d.out, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(d.out, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		all[name] = string(content)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

const (
	kubeadm  = "kubeadm SITE" + binaries + "kubeadm published SITE" + binaries + "kubeadm.sha256 kubernetes_url"
	etcd     = "etcd SITE/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz published SITE/etcd/v3.6.5/SHA256SUMS etcd_url"
	coredns  = "coredns SITE/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz published SITE/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz.sha256 coredns_url"
	flanneld = "flanneld SITE/flannel/v0.26.7/flanneld-amd64 unverified - flannel_url"
)

func kubelet(digest string) string {
	return "kubelet SITE" + binaries + "kubelet digest " + digest + " kubernetes_url"
}

func TestDownloadsAreCheckedKeptAndNotRepeated(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	lines := []string{kubeadm, kubelet(sum(program("kubelet"))), etcd, coredns, flanneld}
	if _, problem := d.run(lines...); problem != "" {
		t.Fatal(problem)
	}
	sources := fmt.Sprintf(`kubeadm %s from SITE%[2]skubeadm, checked against the checksum that is published at SITE%[2]skubeadm.sha256
kubelet %[3]s from SITE%[2]skubelet, checked against the digest of its pin
etcd %[4]s from SITE/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz, checked against the checksum that is published at SITE/etcd/v3.6.5/SHA256SUMS
coredns %[5]s from SITE/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz, checked against the checksum that is published at SITE/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz.sha256
flanneld %[6]s from SITE/flannel/v0.26.7/flanneld-amd64, checked against nothing: it has no checksum
`, sum(program("kubeadm")), binaries, sum(program("kubelet")), sum(program("etcd")), sum(program("coredns")), sum(program("flanneld")))
	want := map[string]string{"downloaded/SOURCES": strings.ReplaceAll(sources, "SITE", d.url)}
	for _, name := range []string{"kubeadm", "kubelet", "etcd", "coredns", "flanneld"} {
		want["downloaded/"+name] = string(program(name))
	}
	for _, path := range []string{binaries + "kubeadm", binaries + "kubelet", "/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz", "/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz", "/flannel/v0.26.7/flanneld-amd64"} {
		content := d.releases.files[path]
		want["downloads/"+sum(content)] = string(content)
	}
	got := d.files()
	delete(got, "downloaded.inputs")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("there is (-want +got):\n%s", diff)
	}
	for _, name := range []string{"kubeadm", "etcd"} {
		if said, err := exec.CommandContext(t.Context(), filepath.Join(d.out, "downloaded", name)).Output(); err != nil || string(said) != name+"\n" {
			t.Errorf("%s says %q, %v", name, said, err)
		}
	}

	d.requests()
	if said, problem := d.run(lines...); said != "build-downloaded.sh: downloaded is there already\n" || problem != "" || len(d.requests()) > 0 {
		t.Errorf("again: %s%s", said, problem)
	}
	// Other sites and lists do not make what is known by its content be fetched again.
	if _, problem := d.run(kubeadm, etcd); problem != "" {
		t.Fatal(problem)
	}
	if diff := cmp.Diff([]string{"GET " + binaries + "kubeadm.sha256", "GET /etcd/v3.6.5/SHA256SUMS"}, d.requests()); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	for name := range d.files() {
		if strings.Contains(name, "kubelet") || name == "downloads/"+sum(program("kubelet")) {
			t.Errorf("%s is left, and nothing needs it", name)
		}
	}
}

func TestDownloadThatFailsSaysWhatToDoAndLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	const (
		file, sums = binaries + "kubelet", binaries + "kubelet.sha256"
		published  = "kubelet SITE" + file + " published SITE" + sums + " kubernetes_url"
	)
	digest := kubelet(sum(program("kubelet")))
	insecure := newReleases(t).plain(t)
	for name, c := range map[string]struct {
		line, path string
		fault      http.HandlerFunc
		want       string
	}{
		"not there":                       {digest, file, http.NotFound, "kubelet: SITE" + file + " cannot be had: curl: (22) The requested URL returned error: 404"},
		"cut":                             {digest, file, cut(program("kubelet")), "kubelet: SITE" + file + " cannot be had: curl: ("},
		"hangs":                           {digest, file, hang, "kubelet: SITE" + file + " cannot be had: curl: (28) Operation too slow"},
		"wrong digest":                    {digest, file, other("another"), "kubelet: SITE" + file + " is not what it should be: its sha256 is " + sum([]byte("another")) + ", and " + sum(program("kubelet")) + " by the digest of its pin"},
		"wrong checksum":                  {published, file, other("another"), "kubelet: SITE" + file + " is not what it should be: its sha256 is " + sum([]byte("another")) + ", and " + sum(program("kubelet")) + " by the checksum that is published at SITE" + sums},
		"no checksum":                     {published, sums, http.NotFound, "kubelet: its checksum cannot be had from SITE" + sums + ": curl: (22)"},
		"a page in place of the checksum": {published, sums, other("<html>\nPlease log in\n"), "kubelet: SITE" + sums + " has no checksum of kubelet"},
		"foreign checksum":                {published, sums, other(sum(nil) + "  kubectl\n"), "kubelet: SITE" + sums + " has no checksum of kubelet"},
		"led to http": {published, sums, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, insecure+r.URL.Path, http.StatusFound)
		}, "kubelet: its checksum cannot be had from SITE" + sums + ": curl: (1) Protocol \"http\" "},
		"no archive":                {"etcd SITE/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz unverified - etcd_url", "/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz", other("text"), "etcd: SITE/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz is no archive that can be unpacked: "},
		"archive of something else": {"etcd SITE/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz unverified - etcd_url", "", nil, "etcd: SITE/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz has no file etcd in it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDownloads(t)
			d.env = append(d.env, "CHOSEN=It was chosen by chance.")
			d.fault(c.path, c.fault)
			patient := d.env
			if name == "hangs" {
				d.env = append(slices.Clone(d.env), "SILENCE=3")
			}
			_, problem := d.run(kubeadm, c.line)
			if want := strings.ReplaceAll(c.want, "SITE", d.url); !strings.HasPrefix(problem, want) {
				t.Errorf("error %s, want %s", problem, want)
			}
			setting := c.line[strings.LastIndex(c.line, " ")+1:]
			advice := ". --var " + setting + "=URL names another site with the same layout, --artifacts build builds the programs on this machine instead. It was chosen by chance."
			if !strings.HasSuffix(problem, advice) || strings.Contains(problem, "\n") {
				t.Errorf("error %s, want one line that ends with %s", problem, advice)
			}
			for name := range d.files() {
				content := d.files()[name]
				if folder, file := filepath.Split(name); folder != "downloads/" || file != sum([]byte(content)) {
					t.Errorf("%s is left", name)
				}
			}
			// Mended, it goes on with what is missing.
			d.fault(c.path, nil)
			d.env = patient
			d.requests()
			if c.fault == nil {
				return
			}
			if _, problem := d.run(kubeadm, c.line); problem != "" {
				t.Errorf("mended, and yet: %s", problem)
			}
			if asked := d.requests(); slices.Contains(asked, "GET "+binaries+"kubeadm") || !slices.Contains(asked, "GET "+c.path) {
				t.Errorf("mended, it asked for %v", asked)
			}
		})
	}
}

func TestWhatHasNoChecksumIsBuilt(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	d.scripts = t.TempDir()
	if err := os.CopyFS(d.scripts, os.DirFS(labFiles)); err != nil {
		t.Fatal(err)
	}
	// In place of minutes of compiling.
	builder := "mkdir -p \"$1/flannel\" && echo built >>\"$1/flannel/flanneld\" && echo plugin >\"$1/flannel/flannel-cni\""
	if err := os.WriteFile(filepath.Join(d.scripts, "build-flannel.sh"), []byte(builder), 0o600); err != nil {
		t.Fatal(err)
	}
	const flannel, plugin = "flanneld SITE/flannel/v0.26.7/flanneld-amd64 build - flannel_url", "flannel-cni SITE/cni/v1.6.2-flannel1/flannel-amd64 build - flannel_cni_url"
	said, problem := d.run(flannel, plugin, kubeadm)
	want := d.url + "/flannel/v0.26.7/flanneld-amd64 has no checksum, neither of a pin nor published: flannel is built from Go modules."
	if problem != "" || !strings.Contains(said, want) {
		t.Errorf("%s%s, want %s", said, problem, want)
	}
	files := d.files()
	if files["downloaded/flanneld"] != "built\n" || files["downloaded/flannel-cni"] != "plugin\n" || files["downloaded/kubeadm"] != string(program("kubeadm")) {
		t.Errorf("there is %v", files)
	}
	if lines := "flanneld " + sum([]byte("built\n")) + " built from Go modules\nflannel-cni " + sum([]byte("plugin\n")) + " built from Go modules\n"; !strings.HasSuffix(files["downloaded/SOURCES"], lines) {
		t.Errorf("sources %s, want %s", files["downloaded/SOURCES"], lines)
	}
	if asked := d.requests(); slices.ContainsFunc(asked, func(r string) bool { return strings.Contains(r, "flannel") }) {
		t.Errorf("asked for %v", asked)
	}
}

func TestInterruptedDownloadLeavesWhatIsComplete(t *testing.T) {
	t.Parallel()
	d := newDownloads(t)
	d.fault(binaries+"kubelet", hang)
	cmd := d.command(kubeadm, kubelet(sum(program("kubelet"))))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !slices.Contains(d.requests(), "GET "+binaries+"kubelet"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the second file was never asked for")
		}
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended as if nothing had been")
	}
	if diff := cmp.Diff(map[string]string{"downloads/" + sum(program("kubeadm")): string(program("kubeadm"))}, d.files()); diff != "" {
		t.Errorf("there is (-want +got):\n%s", diff)
	}
}

// choose runs the script that decides.
func choose(t *testing.T, env []string, args ...string) (mode, why string, failed error) {
	t.Helper()
	text, err := os.ReadFile(labFiles + "choose.sh")
	if err != nil {
		t.Fatal(err)
	}
	var out, problem bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", string(text), "choose"}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &out, &problem
	failed = cmd.Run()
	return out.String(), strings.TrimSpace(problem.String()), failed
}

func TestAutoDownloadsWhereTheSiteAnswers(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	const probe = binaries + "kubeadm.sha256"
	site := newReleases(t)
	url := site.plain(t)
	site.fault("/hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	const built = "The lab's programs are built from Go modules, which takes minutes: "
	for name, c := range map[string]struct{ url, mode, why string }{
		"answers":      {url + probe, "download", "The lab's programs are downloaded: " + url + probe + " answers."},
		"has it not":   {url + "/nothing", "build", built + url + "/nothing cannot be had (curl: (22) The requested URL returned error: 404)."},
		"hangs":        {url + "/hangs", "build", built + url + "/hangs cannot be had (curl: (28) Operation timed out after "},
		"is not there": {gone.URL + "/x", "build", built + gone.URL + "/x cannot be had (curl: (7) Failed to connect to "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			patience := "PROBE_SECONDS=60"
			if name == "hangs" {
				patience = "PROBE_SECONDS=1"
			}
			mode, why, err := choose(t, []string{patience}, t.TempDir(), "auto", c.url, ".made-downloaded-1", ".made-kubernetes-1", "")
			if err != nil || mode != c.mode || !strings.HasPrefix(why, c.why) || strings.Contains(why, "\n") {
				t.Errorf("%s, %s, %v, want %s, %s", mode, why, err, c.mode, c.why)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
	t.Cleanup(func() {
		if asked := site.requests(); slices.ContainsFunc(asked, func(r string) bool { return !strings.HasPrefix(r, "HEAD ") }) {
			t.Errorf("asked %v, want the heads alone", asked)
		}
	})
}

func TestChoiceKeepsWhatWasUsedLast(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	site := newReleases(t)
	url := site.plain(t) + binaries + "kubeadm.sha256"
	const refused = "It cannot be checked."
	for name, c := range map[string]struct {
		mode, link, stamp, refusal string
		want, why                  string
		asks                       bool
	}{
		"downloaded before":             {"auto", "downloaded", ".made-downloaded-1", "", "download", "The lab's programs were downloaded before.", false},
		"built before":                  {"auto", ".", ".made-kubernetes-1", "", "build", "The lab's programs were built before; --artifacts download downloads them.", false},
		"built before there were links": {"auto", "", ".made-kubernetes-1", "", "build", "The lab's programs were built before; --artifacts download downloads them.", false},
		"built long before":             {"auto", ".", ".made-kubernetes-0", "", "download", "The lab's programs are downloaded: " + url + " answers.", true},
		"downloads of other inputs":     {"auto", "downloaded", ".made-downloaded-0", "", "download", "The lab's programs are downloaded: " + url + " answers.", true},
		"built before, and told to":     {"download", ".", ".made-kubernetes-1", "", "download", "The lab's programs are downloaded, as --artifacts download says.", false},
		"downloaded before, and not to": {"build", "downloaded", ".made-downloaded-1", "", "build", "The lab's programs are built from Go modules, as --artifacts build says.", false},
		"nothing to check by":           {"auto", "", "", refused, "build", "The lab's programs are built from Go modules. " + refused, false},
		"told to, nothing to check by":  {"download", "", "", refused, "", refused + " --artifacts build builds the programs on this machine instead.", false},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			if c.link != "" {
				if err := os.Symlink(c.link, filepath.Join(out, "programs")); err != nil {
					t.Fatal(err)
				}
			}
			if c.stamp != "" {
				if err := os.WriteFile(filepath.Join(out, c.stamp), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			site.requests()
			mode, why, err := choose(t, []string{"PROBE_SECONDS=60"}, out, c.mode, url, ".made-downloaded-1", ".made-kubernetes-1", c.refusal)
			if (err != nil) != (c.want == "") || mode != c.want || why != c.why {
				t.Errorf("%s, %s, %v, want %s, %s", mode, why, err, c.want, c.why)
			}
			if asked := site.requests(); len(asked) > 0 != c.asks {
				t.Errorf("asked %v", asked)
			}
		})
	}
}

// A node has the same programs by the same names, whichever way they lie in a folder.
func TestNodesHaveProgramsOfBothKinds(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct{ files, want []string }{
		"built":      {[]string{"kubernetes"}, []string{"kubeadm", "kubectl", "kubelet", "kubernetes"}},
		"downloaded": {[]string{"kubeadm", "kubelet", "kubectl", "kube-apiserver"}, []string{"kubeadm", "kubectl", "kubelet"}},
	} {
		folder, root := t.TempDir(), t.TempDir()
		for _, name := range append(c.files, "flannel-cni") {
			// Like the multi-call program, they say what they are called.
			executable.Write(t, filepath.Join(folder, name), "#!/bin/sh\necho ${0##*/}\n")
		}
		cmd := exec.CommandContext(t.Context(), "sh", labFiles+"guest/kubernetes.sh", root)
		cmd.Env = append(os.Environ(), "PROGRAMS="+folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", kind, err, out)
		}
		if got := list(t, filepath.Join(root, "usr/bin")); !slices.Equal(got, c.want) {
			t.Errorf("%s: a node has %v, want %v", kind, got, c.want)
		}
		for _, path := range []string{"usr/bin/kubeadm", "usr/bin/kubelet", "usr/bin/kubectl", "usr/lib/cni/flannel"} {
			if said, err := exec.CommandContext(t.Context(), filepath.Join(root, path)).Output(); err != nil || string(said) != filepath.Base(path)+"\n" {
				t.Errorf("%s: %s says %q, %v", kind, path, said, err)
			}
		}
	}
}
