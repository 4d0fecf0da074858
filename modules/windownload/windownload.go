// Package windownload is the module "win_download": a file that a Windows host fetches
// from a URL itself, verified by its checksum.
package windownload

import (
	"context"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/winfetch"
	"kinit/modules/internal/winpath"
)

// Task is a file from a URL, which a Windows host fetches with its own curl. What was
// interrupted goes on where it ended. A file with another checksum is replaced.
//
// This is the quick way for large files: the host pulls them from a server near by, and
// nothing goes through the connection of kinit.
//
// Outputs:
//   - path: the file
//   - sha256: its checksum in hex; empty for an absent file
//
// Errors:
//   - the URL cannot be fetched from the host, or nothing arrives for 60 s
//   - the checksum is another one; what was fetched is removed
//   - the folder of dest is missing, or dest is a folder
//   - the host has no curl.exe, as before Windows Server 2019
type Task struct {
	// URL is where the file is: http or https, without user and password.
	URL string `hcl:"url,optional"`
	// Dest is the path of the file, such as "C:/k/kubelet.exe". Its folder must exist.
	Dest string `hcl:"dest"`
	// SHA256 is the file's checksum in hex.
	SHA256 string `hcl:"sha256,optional"`
	// CAPEM is the certificates, in PEM, that the server is verified with. The curl of
	// a Server 2019 without updates knows no such choice. Default: those the host
	// trusts.
	CAPEM string `hcl:"ca_pem,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "win_download".
func Kind() module.Kind {
	return module.Kind{Name: "win_download", OS: []module.OS{module.Windows}, Elsewhere: "download",
		New: func() module.Task { return &Task{State: "present"} }}
}

func (t *Task) file() winfetch.File {
	return winfetch.File{URL: t.URL, Dest: t.Dest, SHA256: t.SHA256, CA: t.CAPEM}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := winpath.Check("dest", t.Dest); err != nil {
		return err
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil || t.State == "absent" {
		return err
	}
	return t.file().Check()
}

// Plan compares the file with the checksum.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	sum, err := winfetch.Sum(ctx, h, t.Dest)
	if err != nil {
		return nil, err
	}
	switch {
	case t.State == "absent" && sum != "":
		return one("remove "+t.Dest, t.remove), nil
	case t.State == "absent", sum == strings.ToLower(t.SHA256):
		return nil, nil
	case sum == "":
		return one("download "+h.Redact(t.URL)+" to "+t.Dest, t.fetch), nil
	}
	return one("download "+h.Redact(t.URL)+" to "+t.Dest+", whose checksum differs", t.fetch), nil
}

func one(text string, do func(context.Context, module.Host) error) []module.Step {
	return []module.Step{module.NewStep(text, do)}
}

func (t *Task) fetch(ctx context.Context, h module.Host) error {
	sum, err := winfetch.Sum(ctx, h, t.Dest)
	if err != nil || sum == strings.ToLower(t.SHA256) {
		return err
	}
	return t.file().Fetch(ctx, h)
}

// remove removes the file with what an interrupted fetch left.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	if err := h.Files().Remove(ctx, t.Dest+".part"); err != nil {
		return err
	}
	return h.Files().Remove(ctx, t.Dest)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "sha256": cty.String}
}

// Outputs returns where the file is, and its checksum.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	sum := strings.ToLower(t.SHA256)
	if t.State == "absent" {
		sum = ""
	}
	return map[string]cty.Value{"path": cty.StringVal(t.Dest), "sha256": cty.StringVal(sum)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
