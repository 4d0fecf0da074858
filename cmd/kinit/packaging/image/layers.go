package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// file is a file or, with a slash at the end of its name, a folder.
type file struct {
	name, text string
	mode       int64
}

// written are files that the packages' scripts would have made.
var written = []file{
	{"etc/group", "root:x:0:\nnogroup:x:65534:\n", 0o644},
	{"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n", 0o644},
	{"etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n", 0o644},
	{"root/", "", 0o700},
	{"tmp/", "", 0o1777},
	{"work/", "", 0o755},
}

// unneeded are folders of the packages that nothing in the image reads.
var unneeded = []string{"usr/share/doc/", "usr/share/man/", "usr/share/locale/", "usr/share/info/", "usr/share/lintian/", "var/cache/", "var/lib/apt/", "var/log/"}

const (
	authorities = "usr/share/ca-certificates/mozilla/" // of the package ca-certificates, a file for each
	bundle      = "etc/ssl/certs/ca-certificates.crt"  // where Go and OpenSSL look for all
)

// systemLayer copies the unpacked packages, and adds what their scripts would have made.
func systemLayer(root string, made time.Time) (v1.Layer, error) {
	packages, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	defer packages.Close()
	var content, certificates bytes.Buffer
	w, r := tar.NewWriter(&content), tar.NewReader(packages)
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if skipped(header) {
			continue
		}
		header.Name = strings.TrimPrefix(header.Name, "./")
		header.ModTime, header.AccessTime, header.ChangeTime, header.Uname, header.Gname = made, time.Time{}, time.Time{}, "", ""
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		var to io.Writer = w
		if strings.HasPrefix(header.Name, authorities) {
			to = io.MultiWriter(w, &certificates)
		}
		if _, err := io.Copy(to, r); err != nil {
			return nil, err
		}
	}
	if certificates.Len() == 0 {
		return nil, errors.New(root + " has no certificates of authorities in /" + authorities)
	}
	for _, f := range append(slices.Clone(written), file{bundle, certificates.String(), 0o644}) {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: made}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			return nil, err
		}
	}
	return layer(w, &content)
}

// skipped says whether the image does without a file of the packages. Devices are made by
// the container engine.
func skipped(header *tar.Header) bool {
	name := strings.TrimPrefix(header.Name, "./")
	if name == "" || header.Typeflag == tar.TypeChar || header.Typeflag == tar.TypeBlock {
		return true
	}
	return slices.ContainsFunc(unneeded, func(folder string) bool { return strings.HasPrefix(name, folder) }) ||
		slices.ContainsFunc(written, func(f file) bool { return f.name == name })
}

// treeLayer puts a tree as in the tarball below /usr.
func treeLayer(tree string, made time.Time) (v1.Layer, error) {
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	if err := addFolder(w, tree, "usr/", made); err != nil {
		return nil, err
	}
	return layer(w, &content)
}

func layer(w *tar.Writer, content *bytes.Buffer) (v1.Layer, error) {
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}
