package render

import (
	"context"
	"errors"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/content"
)

// Task is embedded in the modules template and win_template.
type Task struct {
	// Dest is the absolute path of the file, such as "/etc/motd" or "C:/k/config.yaml". Its
	// folder must exist.
	Dest string `hcl:"dest"`
	// Template is the text, with ${…} for values, %{ if … } for conditions and %{ for … } for
	// loops. Line ends are not changed.
	Template *string `hcl:"template,optional"`
	// Vars are the values that the template can use, of any type.
	Vars cty.Value `hcl:"vars,optional"`
	// Secret hides the content. It is also hidden if a value is sensitive. The mode is then
	// "0600" unless it is given; a file of a Windows host is private.
	Secret bool `hcl:"secret,optional"`
	module.Presence
}

// Hide marks a value, or the template itself, as sensitive.
func (t *Task) Hide(argument string) bool {
	hides := argument == "vars" || argument == "template"
	t.Secret = t.Secret || hides
	return hides
}

// CheckFile returns the mistake in the arguments of a task that makes the file; it does not
// render.
func (t *Task) CheckFile(file content.Target) error {
	if !t.Absent() && t.Template == nil {
		return errors.New("template is missing, want the text to fill")
	}
	if !IsObject(t.Vars) {
		return errors.New("vars is no object, want { name = value … }")
	}
	return file.Check()
}

// PlanFile compares a file, which the function makes, with the rendered text.
func (t *Task) PlanFile(ctx context.Context, h module.Host, file func(content.Source) content.Target) ([]module.Step, error) {
	if t.Absent() {
		return file(content.Source{}).PlanAbsent(ctx, h)
	}
	source, err := t.source()
	if err != nil {
		return nil, err
	}
	source.Hide(h, t.Secret)
	return file(source).Plan(ctx, h)
}

func (t *Task) source() (content.Source, error) {
	text, err := Text(*t.Template, t.Vars, t.Secret)
	return content.FromText([]byte(text)), err
}

// Outputs are the outputs of a task that makes a file from a template.
type Outputs struct {
	Path   string `cty:"path" arg:"dest,content"` // the file
	SHA256 string `cty:"sha256"`                  // checksum of the rendered text, in hex; empty for an absent file
	Size   int64  `cty:"size"`                    // bytes of the rendered text; 0 for an absent file
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	if t.Absent() {
		return Outputs{Path: t.Dest}, nil
	}
	source, err := t.source()
	return Outputs(source.Outputs(t.Dest)), err
}
