// Package podmanimage is the module podman_image: a container image in podman's
// store on the host.
package podmanimage

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a container image under a name. An image that was there before is used and
// never claimed, so that clean-up leaves it.
//
// Outputs:
//   - name: the full name
//   - id: the image's id
//   - digest: the digest of its manifest
//
// Errors:
//   - the archive is missing or has another checksum, or the registry does not give the
//     image
//   - username is given without password, or the other way round
//   - podman is not installed
type Task struct {
	// Name is the image's full name with registry and tag, such as "localhost/dns:1".
	Name string `hcl:"name"`
	// Source is where it comes from: the absolute path of an archive on the host
	// (docker-archive or oci-archive, as "podman save" writes, with one image in
	// it), or the full name of an image to pull and to give the name to. Default:
	// the name itself, pulled from its registry.
	Source string `hcl:"source,optional"`
	// SHA256 is the checksum of the archive in hexadecimal, checked before it is loaded. Default none.
	SHA256 string `hcl:"sha256,optional"`
	// TLSVerify says whether the registry's certificate is checked. Default true.
	TLSVerify bool `hcl:"tls_verify,optional"`
	// Username is the user at the registry. Default none.
	Username string `hcl:"username,optional"`
	// Password is that user's password.
	Password secret.Value `hcl:"password,optional"`
	// Keep leaves the image on the host when the cluster is removed, unless all is purged. Default false.
	Keep bool `hcl:"keep,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`

	seen seen.Reading[*podman.Image]
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "podman_image", New: func() module.Task {
		return &Task{TLSVerify: true, State: "present"}
	}}
}

// fullName is a name that podman does not have to guess a registry for: its
// first part has a dot or a port, or is localhost.
func fullName(name string) bool {
	registry, _, found := strings.Cut(name, "/")
	known := registry == "localhost" || strings.ContainsAny(registry, ".:")
	return found && known && strings.ContainsAny(path.Base(name), ":@")
}

// Validate checks the arguments.
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
	case t.State != "present" && t.State != "absent":
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	}
	return nil
}

// archive tells whether the source is a file on the host.
func (t *Task) archive() bool { return path.IsAbs(t.Source) }

// state is what is on the host.
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
	if t.archive() && t.State == "present" {
		s.content, err = readArchive(ctx, c.Host, t.Source)
	}
	return s, err
}

// missing says why the image has to be fetched, or nothing.
func (t *Task) missing(s state) string {
	if s.image == nil {
		return "new"
	}
	if s.content != nil && s.content.id != s.image.ID {
		return "the archive has another image"
	}
	return ""
}

// Plan compares podman's store with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := podman.Client{Host: h}
	s, err := t.read(ctx, c)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
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
	return []module.Step{module.NewStep(t.text(reason), t.fetch)}, nil
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
	return []module.Step{module.NewStep("remove image "+t.Name, func(ctx context.Context, h module.Host) error {
		c := podman.Client{Host: h}
		if err := c.Untag(ctx, t.Name); err != nil {
			return err
		}
		return c.DisownImage(ctx, t.Name)
	})}, nil
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "id": cty.String, "digest": cty.String}
}

// Outputs reads the image's id and digest.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	image, err := t.seen.Or(func() (*podman.Image, error) { return podman.Client{Host: h}.Image(ctx, t.Name) })
	if err != nil {
		return nil, err
	}
	if image == nil {
		image = &podman.Image{}
	}
	return map[string]cty.Value{
		"name": cty.StringVal(t.Name), "id": cty.StringVal(image.ID), "digest": cty.StringVal(image.Digest),
	}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
