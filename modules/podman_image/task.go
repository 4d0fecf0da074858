// Package podmanimage is the module podman_image: a container image in podman's
// store on the host.
package podmanimage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a container image under a name. An image that already existed is used and
// never claimed, so that clean-up leaves it.
//
// Errors:
//   - the archive is missing or has another checksum, or the registry does not provide the
//     image
//   - username is given without password, or the other way round
//   - podman is not installed
type Task struct {
	// Name is the image's full name with registry and tag, such as "localhost/dns:1".
	Name string `hcl:"name"`
	// Source is the origin of the image: the absolute path of an archive on the host
	// (docker-archive or oci-archive, as "podman save" writes, with one image in
	// it), or the full name of an image to pull and rename. Default:
	// the name itself, pulled from its registry.
	Source string `hcl:"source,optional"`
	// SHA256 is the checksum of the archive in hexadecimal, checked before it is loaded. Default none.
	SHA256 string `hcl:"sha256,optional"`
	// TLSVerify checks the registry's certificate, unless the host's registries.conf says that
	// the registry is insecure.
	TLSVerify bool `hcl:"tls_verify,optional" default:"true"`
	// Username is the user at the registry. Default none.
	Username string `hcl:"username,optional"`
	// Password is that user's password.
	Password secret.Value `hcl:"password,optional"`
	// Keep leaves the image on the host when the cluster is removed, unless all is purged.
	Keep bool `hcl:"keep,optional"`
	module.Presence

	seen seen.Reading[*podman.Image]
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_image", Marks: []module.MarkKind{
		module.NewMarkKind(podman.ImageMark, "image", undoImage, module.MarkTraits{LastResort: true}),
	}})
}

// fullName reports whether podman needs not guess the registry of a name: its
// first part has a dot or a port, or is localhost.
func fullName(name string) bool {
	registry, _, found := strings.Cut(name, "/")
	known := registry == "localhost" || strings.ContainsAny(registry, ".:")
	return found && known && strings.ContainsAny(path.Base(name), ":@")
}

func (t *Task) Validate() error {
	switch {
	case !fullName(t.Name):
		return fmt.Errorf("name is %q, expected a full name with registry and tag such as \"localhost/dns:1\"", t.Name)
	case t.Source != "" && !t.archive() && !fullName(t.Source):
		return fmt.Errorf("source is %q, expected an absolute path or a full image name with registry and tag", t.Source)
	case t.SHA256 != "" && !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(t.SHA256):
		return fmt.Errorf("sha256 is %q, expected 64 hexadecimal digits", t.SHA256)
	case t.SHA256 != "" && !t.archive():
		return errors.New("sha256 is for an archive, but source is not the path of one")
	case (t.Username == "") != (t.Password == ""):
		return errors.New("expected username and password together")
	}
	return nil
}

// archive reports whether the source is a file on the host.
func (t *Task) archive() bool { return path.IsAbs(t.Source) }

// state is the state of the image on the host.
type state struct {
	image   *podman.Image // under the name, nil when there is none
	content *contents     // of the archive, nil when there is no archive
}

func (t *Task) read(ctx context.Context, c podman.Client) (state, error) {
	var s state
	var err error
	if s.image, err = c.Image(ctx, t.Name); err != nil {
		return s, err
	}
	if t.archive() && !t.Absent() {
		s.content, err = readArchive(ctx, c.Host, t.Source)
	}
	return s, err
}

// missing returns the reason to fetch the image, or "".
func (t *Task) missing(s state) string {
	if s.image == nil {
		return "new"
	}
	if s.content != nil && s.content.id != s.image.ID {
		return "the archive has another image"
	}
	return ""
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := podman.Client{Host: h}
	s, err := t.read(ctx, c)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.absent(ctx, c, s)
	}
	reason := t.missing(s)
	if reason == "" {
		return t.seen.After(s.image, nil), nil
	}
	if s.image != nil {
		if err := c.FreeImage(ctx, t.Name); err != nil {
			return nil, err
		}
	}
	return module.OneStep(t.text(reason), t.fetch), nil
}

func (t *Task) text(reason string) string {
	switch {
	case t.archive():
		return fmt.Sprintf("load image %s from %s: %s", t.Name, t.Source, reason)
	case t.Source != "":
		return fmt.Sprintf("pull image %s from %s: %s", t.Name, t.Source, reason)
	}
	return fmt.Sprintf("pull image %s: %s", t.Name, reason)
}

func (t *Task) absent(ctx context.Context, c podman.Client, s state) ([]module.Step, error) {
	if s.image == nil {
		return nil, nil
	}
	if err := c.FreeImage(ctx, t.Name); err != nil {
		return nil, err
	}
	return module.OneStep("remove image "+t.Name, func(ctx context.Context, h module.Host) error {
		return podman.Client{Host: h}.DropImage(ctx, t.Name)
	}), nil
}

type Outputs struct {
	Name   string `cty:"name"`   // the full name
	ID     string `cty:"id"`     // the image's id
	Digest string `cty:"digest"` // the digest of its manifest
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	image, err := t.seen.Or(func() (*podman.Image, error) { return podman.Client{Host: h}.Image(ctx, t.Name) })
	image = cmp.Or(image, &podman.Image{})
	return Outputs{Name: t.Name, ID: image.ID, Digest: image.Digest}, err
}

// undoImage removes an image that podman_sweep did not find.
func undoImage(ctx context.Context, h module.Host, mark module.Mark) error {
	err := podman.Client{Host: h}.Untag(ctx, mark.ID)
	if podman.NotInstalled(err) {
		return nil
	}
	return err
}
