package content

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Target is a file with its wanted content, on a host of any system.
type Target interface {
	// Check returns the mistake in the arguments of the file.
	Check() error
	// Plan returns the changes that create or update the file.
	Plan(ctx context.Context, h module.Host) ([]module.Step, error)
	// PlanAbsent returns the changes that remove the file.
	PlanAbsent(ctx context.Context, h module.Host) ([]module.Step, error)
}

// Given is embedded in the modules copy and win_copy: a path, and the arguments of which
// one defines its content.
type Given struct {
	// Dest is the absolute path of the file, such as "/etc/motd" or "C:/k/config.yaml". Its
	// folder must exist.
	Dest string `hcl:"dest" path:"own"`
	// Content is the text of the file; line ends are not changed. If a value in it is
	// sensitive, the text is secret, as with content_secret.
	Content *string `hcl:"content,optional" log:"-"`
	// ContentBase64 is the content coded in base64, for bytes that a text cannot hold.
	ContentBase64 *string `hcl:"content_base64,optional" log:"-"`
	// ContentSecret is a text of the file that must not be shown. The mode is then "0600"
	// unless it is given; a file of a Windows host is private.
	ContentSecret *secret.Value `hcl:"content_secret,optional"`
	// Source is the file to copy, on the machine kinit runs on: a path relative to the
	// folder of the playbook file, as for the function file.
	Source string `hcl:"source,optional"`
	module.Presence

	files  module.LocalFiles // the files that source names
	hidden bool              // content is sensitive
}

// ReadFrom sets the files that source names.
func (g *Given) ReadFrom(files module.LocalFiles) { g.files = files }

// Hide marks the content as sensitive.
func (g *Given) Hide(argument string) bool {
	hides := argument == "content" || argument == "content_base64"
	g.hidden = g.hidden || hides
	return hides
}

// Secret reports whether the content must not be shown.
func (g *Given) Secret() bool { return g.hidden || g.ContentSecret != nil }

// CheckFile returns the mistake in the arguments of a task that makes the file.
func (g *Given) CheckFile(file Target) error {
	if n := g.Count(); !g.Absent() && n != 1 || n > 1 {
		return errors.New("want exactly one of content, content_base64, content_secret and source; null counts as left out")
	}
	if err := g.CheckContent(); err != nil {
		return err
	}
	return file.Check()
}

// CheckContent returns the mistake in content_base64.
func (g *Given) CheckContent() error {
	if g.ContentBase64 == nil {
		return nil
	}
	if _, err := base64.StdEncoding.DecodeString(strings.TrimSpace(*g.ContentBase64)); err != nil {
		return errors.New("content_base64 is no base64: use a value that is, such as the output base64 of read_file")
	}
	return nil
}

// Count returns how many of the arguments that define the content are given.
func (g *Given) Count() int {
	return lists.Count(g.Content != nil, g.ContentBase64 != nil, g.ContentSecret != nil, g.Source != "")
}

// PlanFile compares a file, which the function makes, with the requested content.
func (g *Given) PlanFile(ctx context.Context, h module.Host, file func(Source) Target) ([]module.Step, error) {
	if g.Absent() {
		return file(Source{}).PlanAbsent(ctx, h)
	}
	if g.ContentSecret != nil {
		h.AddSecret(*g.ContentSecret)
	}
	source, err := g.source()
	if err != nil {
		return nil, err
	}
	source.Hide(h, g.Secret())
	return file(source).Plan(ctx, h)
}

func (g *Given) source() (Source, error) {
	switch {
	case g.Content != nil:
		return FromText([]byte(*g.Content)), nil
	case g.ContentBase64 != nil:
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(*g.ContentBase64))
		return FromText(data), err
	case g.ContentSecret != nil:
		return FromText([]byte(g.ContentSecret.Reveal())), nil
	}
	return FromFile(g.files, g.Source)
}

func (g *Given) Outputs(context.Context, module.Host) (Outputs, error) {
	if g.Absent() {
		return Outputs{Path: g.Dest}, nil
	}
	source, err := g.source()
	return source.Outputs(g.Dest), err
}
