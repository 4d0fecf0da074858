// Package podmanbuild is the module podman_build: a container image that is built on the
// host from another image and a script.
package podmanbuild

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a container image: a base image in which a script has run as root. The name
// should identify script and base, so that another script or base has another name: an
// existing image with the name is used without a check. An image that already existed is
// never claimed, so that clean-up leaves it.
//
// Errors:
//   - the base image does not exist: podman_image brings it
//   - the script fails; its last lines are shown
//   - podman is not installed
type Task struct {
	// Name is the image's full name with registry and tag, such as "localhost/node:5d1c9b".
	Name string `hcl:"name"`
	// From is the full name of the base image. It is not pulled. Needed unless state is "absent".
	From string `hcl:"from,optional" nonempty:"expected the image to begin with"`
	// Script is run by "sh -e" in the image. Needed unless state is "absent".
	Script string `hcl:"script,optional"`
	// Keep leaves the image on the host when the cluster is removed, unless all is purged.
	Keep bool `hcl:"keep,optional"`
	module.Presence

	seen seen.Reading[*podman.Image]
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_build"})
}

func (t *Task) Validate() error {
	registry, _, found := strings.Cut(t.Name, "/")
	switch {
	case !found || registry != "localhost" && !strings.ContainsAny(registry, ".:") || !strings.Contains(path.Base(t.Name), ":"):
		return fmt.Errorf("name is %q, expected a full name with registry and tag such as \"localhost/node:1\"", t.Name)
	case t.Absent():
		return nil
	case strings.TrimSpace(t.Script) == "":
		return errors.New("script is empty, expected what makes the image")
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	image, err := c.Image(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Absent() && image != nil:
		if err := c.FreeImage(ctx, t.Name); err != nil {
			return nil, err
		}
		return module.OneStep("remove image "+t.Name, t.remove), nil
	case t.Absent() || image != nil:
		return t.seen.After(image, nil), nil
	}
	return module.OneStep("build image "+t.Name+" from "+t.From, t.build), nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return podman.Client{Host: h}.DropImage(ctx, t.Name)
}

// build builds the image. It names it last, so that an interrupted build has no name.
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
	// One instruction contains the script, so no folder has to be sent. A chroot is
	// enough to run it, and works inside containers. A quiet podman shows standard
	// error only.
	file := fmt.Sprintf("FROM %s\nRUN echo %s | base64 -d | sh -e >&2; code=$?; printf '\\n%%%ds\\n' '' >&2; exit $code\n",
		t.From, base64.StdEncoding.EncodeToString([]byte(t.Script)), fill)
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

// fill is how many blanks follow the script's output. When an instruction ends, podman may
// lose what it has not yet read from the instruction's pipe, which holds 64 KiB; only the
// blanks are in it by then.
const fill = 96 << 10

// shownLines is how many of a failed script's last lines are shown.
const shownLines = 10

// ofScript reduces an error to the script's output, if the script failed:
// podman would show the instruction with the encoded script.
func ofScript(err error) error {
	failed, ok := errors.AsType[*module.ExitError](err)
	if !ok || !strings.Contains(failed.Stderr, `building at STEP "RUN echo `) {
		return err
	}
	output, _, _ := strings.Cut(failed.Stderr, "\n"+strings.Repeat(" ", 1<<10))
	var lines []string
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "Error: building at STEP ") && !strings.HasPrefix(line, "subprocess exited with status ") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	last := module.Tail(strings.Join(lines, "\n"), shownLines)
	return fmt.Errorf("the script ended with code %d:\n%s", failed.Code, cmp.Or(last, "it wrote nothing"))
}

type Outputs struct {
	Name string `cty:"name"` // the full name
	ID   string `cty:"id"`   // the image's id
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	image, err := t.seen.Or(func() (*podman.Image, error) { return podman.Client{Host: h}.Image(ctx, t.Name) })
	return Outputs{Name: t.Name, ID: cmp.Or(image, &podman.Image{}).ID}, err
}
