// Command image writes a container image with kinit to a file that podman, docker, skopeo
// and containerd load: an OCI layout in a tar archive, with the list that older versions of
// docker look for.
//
//	image OUT.tar REFERENCE ARCHITECTURE ROOT.tar TREE
//
// ROOT.tar has the files of Debian packages that were unpacked and not configured, and TREE
// is what the tarball of kinit contains. SOURCE_DATE_EPOCH is the time of all files.
package main

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	if len(os.Args) != 6 {
		fail(fmt.Errorf("usage: image OUT.tar REFERENCE ARCHITECTURE ROOT.tar TREE"))
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		fail(fmt.Errorf("SOURCE_DATE_EPOCH: %w", err))
	}
	made := time.Unix(seconds, 0).UTC()
	image, err := build(os.Args[3], os.Args[4], os.Args[5], made)
	if err != nil {
		fail(err)
	}
	if err := archive(os.Args[1], os.Args[2], image, made); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "image:", err)
	os.Exit(1)
}

// build makes an image of two layers. The first one, with the packages, is the same for
// versions of kinit that were built from the same packages.
func build(arch, root, tree string, made time.Time) (v1.Image, error) {
	system, err := systemLayer(root, made)
	if err != nil {
		return nil, err
	}
	program, err := treeLayer(tree, made)
	if err != nil {
		return nil, err
	}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		Architecture: arch,
		OS:           "linux",
		Created:      v1.Time{Time: made},
		Config: v1.Config{
			Entrypoint: []string{"/usr/bin/kinit"},
			Cmd:        []string{"help"},
			Env:        []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"},
			WorkingDir: "/work",
			Labels: map[string]string{
				"org.opencontainers.image.title":    "kinit",
				"org.opencontainers.image.licenses": "Apache-2.0",
			},
		},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(image,
		mutate.Addendum{Layer: system, History: v1.History{Created: v1.Time{Time: made}, CreatedBy: "Debian packages"}},
		mutate.Addendum{Layer: program, History: v1.History{Created: v1.Time{Time: made}, CreatedBy: "kinit"}})
}

// archive writes the image to a file.
func archive(out, reference string, image v1.Image, made time.Time) error {
	folder, err := os.MkdirTemp("", "kinit-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	name := map[string]string{"org.opencontainers.image.ref.name": reference, "io.containerd.image.name": reference}
	if err := path.AppendImage(image, layout.WithAnnotations(name)); err != nil {
		return err
	}
	if err := dockerManifest(filepath.Join(folder, "manifest.json"), reference, image); err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer file.Close()
	w := tar.NewWriter(file)
	if err := addFolder(w, folder, "", made); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}

// dockerManifest writes the list of configuration and layers that docker before 25 needs.
func dockerManifest(file, reference string, image v1.Image) error {
	blob := func(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
	config, err := image.ConfigName()
	if err != nil {
		return err
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	entry := struct {
		Config   string
		RepoTags []string
		Layers   []string
	}{Config: blob(config), RepoTags: []string{reference}}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		entry.Layers = append(entry.Layers, blob(digest))
	}
	content, err := json.Marshal([]any{entry})
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// addFolder adds the files below a folder, sorted by name and owned by root.
func addFolder(w *tar.Writer, folder, prefix string, made time.Time) error {
	return filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		header.Name = prefix + relative
		if entry.IsDir() {
			header.Name += "/"
		}
		header.ModTime, header.Uid, header.Gid, header.Uname, header.Gname = made, 0, 0, "", ""
		header.Mode = 0o644
		if info.Mode()&0o100 != 0 {
			header.Mode = 0o755
		}
		if err := w.WriteHeader(header); err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(w, file)
		return err
	})
}
