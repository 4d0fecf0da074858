// Package readfile is the module "read_file": the content of a file of a host, as a value.
package readfile

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// longest is the most bytes of a file that become a value: values are in logs and reports.
const longest = 1 << 20

// Task reads a file of the host, and changes nothing. A link is followed.
//
// The content becomes a value of the playbook, and logs and reports show it: a task that reads
// a secret has sensitive = true.
//
// Errors:
//   - the file is missing, and optional is not set
//   - path is no regular file, or has more than 1 MiB
type Task struct {
	// Path is the absolute path of the file.
	Path string `hcl:"path" path:"clean"`
	// Optional makes the values empty if the file is missing.
	Optional bool `hcl:"optional,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "read_file", Reads: true})
}

func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

type Outputs struct {
	Exists  bool         `cty:"exists"`  // whether the file is there
	Content module.Exact `cty:"content"` // the content, byte for byte, also if it is no UTF-8; null if it has letters whose accents are separate characters
	Base64  string       `cty:"base64"`  // the content, coded in base64
	SHA256  string       `cty:"sha256"`  // checksum of the content, in hex; empty if the file is missing
	Size    int64        `cty:"size"`    // bytes
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	content, err := t.read(ctx, h)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Optional:
		return Outputs{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Outputs{}, fmt.Errorf("%s does not exist on %s: set optional = true if it may be missing", t.Path, h.Name())
	case err != nil:
		return Outputs{}, err
	}
	out := Outputs{
		Exists: true, Content: module.Exact(content), Base64: base64.StdEncoding.EncodeToString(content),
		SHA256: fmt.Sprintf("%x", sha256.Sum256(content)), Size: int64(len(content)),
	}
	return out, nil
}

func (t *Task) read(ctx context.Context, h module.Host) ([]byte, error) {
	at, _, err := hostfile.Regular(ctx, h, t.Path)
	if err != nil {
		return nil, err
	}
	file, err := h.Files().Open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, longest+1))
	if err == nil && len(content) > longest {
		err = fmt.Errorf("%s has more than %d MiB, which is too much for a value: fetch copies it to this machine", t.Path, longest>>20)
	}
	return content, err
}
