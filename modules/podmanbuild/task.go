// Package podmanbuild is the module podman_build: a container image that is made on the
// host from another image and a script.
package podmanbuild

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a container image that is another image after a script has run in it as root.
// Its name says what it is made of, so that another script or base has another name: an
// image that has the name is taken for it. One that was there before is used and never
// claimed, so that clean-up leaves it.
//
// Outputs:
//   - name: the full name
//   - id: the image's id
//
// Errors:
//   - the base image is not there: podman_image brings it
//   - the script fails; its last lines are shown
//   - podman is not installed
type Task struct {
	// Name is the image's full name with registry and tag, such as "localhost/node:5d1c9b".
	Name string `hcl:"name"`
	// From is the full name of the image to begin with. It is not pulled. Needed unless state is "absent".
	From string `hcl:"from,optional"`
	// Script is run by "sh -e" in the image. Needed unless state is "absent".
	Script string `hcl:"script,optional"`
	// Keep leaves the image on the host when the cluster is removed, unless all is purged. Default false.
	Keep bool `hcl:"keep,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`

	seen seen.Reading[*podman.Image]
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "podman_build", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	registry, _, found := strings.Cut(t.Name, "/")
	switch {
	case !found || registry != "localhost" && !strings.ContainsAny(registry, ".:") || !strings.Contains(path.Base(t.Name), ":"):
		return fmt.Errorf("name is %q, expected a full name with registry and tag such as \"localhost/node:1\"", t.Name)
	case t.State == "absent":
		return nil
	case t.State != "present":
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	case t.From == "":
		return errors.New("from is empty, expected the image to begin with")
	case strings.TrimSpace(t.Script) == "":
		return errors.New("script is empty, expected what makes the image")
	}
	return nil
}

// Plan looks for the image.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	image, err := c.Image(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case t.State == "absent" && image != nil:
		if err := c.FreeImage(ctx, t.Name); err != nil {
			return nil, err
		}
		return []module.Step{module.NewStep("remove image "+t.Name, t.remove)}, nil
	case t.State == "absent" || image != nil:
		return t.seen.After(image, nil), nil
	}
	return []module.Step{module.NewStep("build image "+t.Name+" from "+t.From, t.build)}, nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h}
	if err := c.Untag(ctx, t.Name); err != nil {
		return err
	}
	return c.DisownImage(ctx, t.Name)
}

// build makes the image. Its name is given last, so that an interrupted one has none.
func (t *Task) build(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h}
	base, err := c.Image(ctx, t.From)
	if err != nil {
		return err
	}
	if base == nil {
		return fmt.Errorf("build image %s: there is no image %s on the host: bring it with podman_image", t.Name, t.From)
	}
	if err := c.OwnImage(ctx, t.Name, t.Keep); err != nil {
		return err
	}
	// The script is carried by one instruction, so no folder has to be sent. A chroot is
	// enough to run it in, and works inside of containers. A quiet podman shows standard
	// error alone.
	file := fmt.Sprintf("FROM %s\nRUN echo %s | base64 -d | sh -e >&2\n", t.From, base64.StdEncoding.EncodeToString([]byte(t.Script)))
	_, err = h.Run(ctx, module.Command{
		Argv:  []string{"podman", "build", "--quiet", "--pull=never", "--isolation", "chroot", "--format", "oci", "--tag", t.Name, "--file", "-"},
		Stdin: strings.NewReader(file),
		Line: func(line string) {
			if text := strings.TrimSpace(line); text != "" {
				h.Report(event.Progress{Text: text})
			}
		},
	})
	if err != nil {
		return fmt.Errorf("build image %s: %w", t.Name, ofScript(err))
	}
	return nil
}

// shownLines is how many of a failed script's last lines are shown.
const shownLines = 10

// ofScript leaves of an error what the script wrote, where it is the script that failed:
// podman would show the instruction, and the script in it is encoded.
func ofScript(err error) error {
	var failed *module.ExitError
	if !errors.As(err, &failed) || !strings.Contains(failed.Stderr, `building at STEP "RUN echo `) {
		return err
	}
	var lines []string
	for line := range strings.Lines(failed.Stderr) {
		if !strings.HasPrefix(line, "Error: building at STEP ") && !strings.HasPrefix(line, "subprocess exited with status ") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	last := module.Tail(strings.Join(lines, "\n"), shownLines)
	if last == "" {
		last = "it wrote nothing"
	}
	return fmt.Errorf("the script ended with code %d:\n%s", failed.Code, last)
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "id": cty.String}
}

// Outputs reads the image's id.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	image, err := t.seen.Or(func() (*podman.Image, error) { return podman.Client{Host: h}.Image(ctx, t.Name) })
	if err != nil {
		return nil, err
	}
	if image == nil {
		image = &podman.Image{}
	}
	return map[string]cty.Value{"name": cty.StringVal(t.Name), "id": cty.StringVal(image.ID)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
