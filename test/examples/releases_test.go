package examples

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// releases serves files in the layouts of upstream's release sites: below /k8s that of
// Kubernetes, below /etcd, /coredns, /flannel and /cni those of projects' releases.
type releases struct {
	mu     sync.Mutex
	files  map[string][]byte
	faults map[string]http.HandlerFunc // by path
	asked  []string
}

// program is what stands in for a program.
func program(name string) []byte { return []byte("#!/bin/sh\necho " + name + "\n") }

func sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// archive is a compressed tar with files of these names and contents.
func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	tarred := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		head := tar.Header{Name: name, Mode: 0o755, Size: int64(len(files[name])), Uid: 1000, Gid: 1000}
		if err := tarred.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if _, err := tarred.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := tarred.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const binaries = "/k8s/v1.34.4/bin/linux/amd64/"

func newReleases(t *testing.T) *releases {
	t.Helper()
	r := &releases{files: map[string][]byte{}, faults: map[string]http.HandlerFunc{}}
	for _, name := range []string{"kubeadm", "kubelet", "kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		r.files[binaries+name] = program(name)
		r.files[binaries+name+".sha256"] = []byte(sum(program(name)))
	}
	etcd := archive(t, map[string][]byte{"etcd-v3.6.5-linux-amd64/README.md": []byte("etcd"), "etcd-v3.6.5-linux-amd64/etcd": program("etcd"), "etcd-v3.6.5-linux-amd64/etcdctl": program("etcdctl"), "etcd-v3.6.5-linux-amd64/etcdutl": program("etcdutl")})
	r.files["/etcd/v3.6.5/etcd-v3.6.5-linux-amd64.tar.gz"] = etcd
	r.files["/etcd/v3.6.5/SHA256SUMS"] = fmt.Appendf(nil, "%s  etcd-v3.6.5-darwin-amd64.zip\n%s  etcd-v3.6.5-linux-amd64.tar.gz\n", sum(nil), sum(etcd))
	coredns := archive(t, map[string][]byte{"coredns": program("coredns")})
	r.files["/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz"] = coredns
	r.files["/coredns/v1.12.1/coredns_1.12.1_linux_amd64.tgz.sha256"] = fmt.Appendf(nil, "%s  release/coredns_1.12.1_linux_amd64.tgz\n", sum(coredns))
	r.files["/flannel/v0.26.7/flanneld-amd64"] = program("flanneld")
	r.files["/cni/v1.6.2-flannel1/flannel-amd64"] = program("flannel-cni")
	return r
}

// ServeHTTP answers with a file, or with the fault that is meant for its path.
func (s *releases) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	fault, content := s.faults[r.URL.Path], s.files[r.URL.Path]
	s.mu.Unlock()
	switch {
	case fault != nil:
		fault(w, r)
	case content == nil:
		http.NotFound(w, r)
	default:
		_, _ = w.Write(content)
	}
}

// fault makes the answers to a path other ones; nil ends that.
func (s *releases) fault(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[path] = answer
}

// requests are those since the last call.
func (s *releases) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// plain serves over http until the test ends.
func (s *releases) plain(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// cut sends half of what it promises.
func cut(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(2*len(content)))
		_, _ = w.Write(content)
	}
}

// hang sends the beginning and then nothing.
func hang(w http.ResponseWriter, r *http.Request) {
	_, _ = w.Write([]byte("#!"))
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// other sends something else.
func other(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = strings.NewReader(text).WriteTo(w) }
}
