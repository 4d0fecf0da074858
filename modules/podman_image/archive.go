package podmanimage

import (
	"context"
	"fmt"
	"path"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// contents describes the image in an archive.
type contents struct {
	id   string   // the image's id, which is the digest of its configuration
	tags []string // the names that loading sets
}

// readArchive reads the manifest of an archive; nil if the file does not exist yet.
func readArchive(ctx context.Context, h module.Host, name string) (*contents, error) {
	there, err := hostfile.Exists(ctx, h, name)
	if err != nil || !there {
		return nil, err
	}
	text, err := member(ctx, h, name, "manifest.json")
	if err == nil {
		return dockerContents(name, text)
	}
	if !module.Exited(err) {
		return nil, err
	}
	if text, err = member(ctx, h, name, "index.json"); err != nil {
		return nil, fmt.Errorf("%s is no docker-archive or oci-archive: %w", name, err)
	}
	return ociContents(ctx, h, name, text)
}

func member(ctx context.Context, h module.Host, archive, name string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"tar", "--extract", "--to-stdout", "--file", archive, name}})
	return out.Stdout, err
}

// dockerContents reads the manifest.json of "docker save".
func dockerContents(name, text string) (*contents, error) {
	var images []struct {
		Config   string
		RepoTags []string
	}
	if err := bounds.DecodeJSON([]byte(text), &images); err != nil {
		return nil, fmt.Errorf("read the manifest of %s: %w", name, err)
	}
	if len(images) != 1 {
		return nil, fmt.Errorf("%s holds %d images, expected one", name, len(images))
	}
	// "<id>.json" or "blobs/sha256/<id>", by the program that wrote it.
	id := strings.TrimSuffix(path.Base(images[0].Config), ".json")
	return &contents{id: id, tags: images[0].RepoTags}, nil
}

// ociContents reads an image layout: the index leads to the manifest, and that
// to the configuration.
func ociContents(ctx context.Context, h module.Host, name, text string) (*contents, error) {
	var index struct {
		Manifests []struct {
			Digest      string
			Annotations map[string]string
		}
	}
	if err := bounds.DecodeJSON([]byte(text), &index); err != nil {
		return nil, fmt.Errorf("read the index of %s: %w", name, err)
	}
	if len(index.Manifests) != 1 {
		return nil, fmt.Errorf("%s holds %d images, expected one", name, len(index.Manifests))
	}
	only := index.Manifests[0]
	blob, err := member(ctx, h, name, "blobs/"+strings.Replace(only.Digest, ":", "/", 1))
	if err != nil {
		return nil, fmt.Errorf("read the manifest of %s: %w", name, err)
	}
	var manifest struct{ Config struct{ Digest string } }
	if err := bounds.DecodeJSON([]byte(blob), &manifest); err != nil {
		return nil, fmt.Errorf("read the manifest of %s: %w", name, err)
	}
	c := &contents{id: strings.TrimPrefix(manifest.Config.Digest, "sha256:")}
	if tag := only.Annotations["org.opencontainers.image.ref.name"]; tag != "" {
		c.tags = []string{tag}
	}
	return c, nil
}
