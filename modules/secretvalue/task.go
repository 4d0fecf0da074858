// Package secretvalue is the module secret: a value made at random once and kept
// in a private file on the host.
package secretvalue

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
)

// Task is a random value, made once and kept in a file of the host. One that is there
// and has the form asked for is kept.
//
// Outputs:
//   - path: the file
//   - value: the value; secret
//
// Errors:
//   - path is not absolute, or length or bytes is out of 8 to 128
type Task struct {
	// Path is the file on the host, with mode 0600.
	Path string `hcl:"path"`
	// Format is "password" (letters and digits, the default), "token" (a kubeadm
	// bootstrap token, [a-z0-9]{6}.[a-z0-9]{16}) or "hex".
	Format string `hcl:"format,optional"`
	// Length is the length of a password in characters, default 24.
	Length int `hcl:"length,optional"`
	// Bytes is the number of random bytes of a hex value, default 32, which is a kubeadm certificate key.
	Bytes int `hcl:"bytes,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "secret", New: func() module.Task {
		return &Task{Format: "password", Length: 24, Bytes: 32, State: "present"}
	}}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	switch {
	case !path.IsAbs(t.Path):
		return fmt.Errorf("path is %q, expected an absolute path", t.Path)
	case t.Format != "password" && t.Format != "token" && t.Format != "hex":
		return fmt.Errorf("format is %q, expected \"password\", \"token\" or \"hex\"", t.Format)
	case t.Length < 8 || t.Length > 128:
		return fmt.Errorf("length is %d, expected 8 to 128 characters", t.Length)
	case t.Bytes < 8 || t.Bytes > 128:
		return fmt.Errorf("bytes is %d, expected 8 to 128", t.Bytes)
	case t.State != "present" && t.State != "absent":
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	}
	return nil
}

// read returns the value in the file and whether there is a file.
func (t *Task) read(ctx context.Context, h module.Host) (string, bool, error) {
	text, there, err := hostfile.Read(ctx, h, t.Path)
	return strings.TrimSuffix(text, "\n"), there, err
}

// Plan compares the file with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	value, there, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.absent(ctx, h, there)
	}
	if there && t.fits(value) {
		return nil, nil
	}
	text := fmt.Sprintf("make %s %s", t.Format, t.Path)
	if there {
		if err := t.mayReplace(ctx, h); err != nil {
			return nil, err
		}
		text += ": the one there has another form"
	}
	return []module.Step{module.NewStep(text, t.make)}, nil
}

// make keeps a value that fits, so that it may be repeated.
func (t *Task) make(ctx context.Context, h module.Host) error {
	value, there, err := t.read(ctx, h)
	if err != nil || (there && t.fits(value)) {
		return err
	}
	if value, err = t.generate(); err != nil {
		return err
	}
	h.AddSecret(secret.Value(value))
	return hostfile.Put(ctx, h, t.Path, value+"\n", module.Attr{Mode: 0o600})
}

func (t *Task) absent(ctx context.Context, h module.Host, there bool) ([]module.Step, error) {
	if !there {
		return nil, nil
	}
	if err := t.mayReplace(ctx, h); err != nil {
		return nil, err
	}
	return []module.Step{module.NewStep("remove "+t.Path, func(ctx context.Context, h module.Host) error {
		return hostfile.Drop(ctx, h, t.Path)
	})}, nil
}

func (t *Task) mayReplace(ctx context.Context, h module.Host) error {
	return claim.Free(ctx, h, t.Path, "move it away, or use another path")
}

// SecretOutputs names the values that are secret.
func (t *Task) SecretOutputs() []string { return []string{"value"} }

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "value": cty.String}
}

// Outputs reads the value, a secret from then on.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	value, _, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	h.AddSecret(secret.Value(value))
	return map[string]cty.Value{"path": cty.StringVal(t.Path), "value": cty.StringVal(value)}, nil
}

var (
	_ module.Confidential = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
)
