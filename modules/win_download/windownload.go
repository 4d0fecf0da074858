// Package windownload is the module "win_download": a file that a Windows host fetches
// from a URL itself, verified by its checksum.
package windownload

import (
	"context"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/winfetch"
	"kinit/modules/internal/winpath"
)

// Task is a file from a URL, which a Windows host fetches with its own curl. An interrupted
// download is continued. A file with another checksum is replaced.
//
// This is the fast way for large files: the host fetches them from a nearby server, not
// through kinit's connection.
//
// Errors:
//   - the URL cannot be fetched from the host, or nothing arrives for 60 s
//   - the checksum differs; the fetched file is removed
//   - the folder of dest is missing, or dest is a folder
//   - the host has no curl.exe, as before Windows Server 2019
type Task struct {
	// URL is the file's URL: http or https, without user and password.
	URL string `hcl:"url,optional"`
	// Dest is the path of the file, such as "C:/k/kubelet.exe". Its folder must exist.
	Dest string `hcl:"dest"`
	// SHA256 is the file's checksum in hex.
	SHA256 string `hcl:"sha256,optional"`
	// CAPEM are the certificates, in PEM, that verify the server. The curl of
	// a Server 2019 without updates does not support this. Default: the certificates that
	// the host trusts.
	CAPEM string `hcl:"ca_pem,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_download", OS: []module.OS{module.Windows}, Elsewhere: "download"})
}

func (t *Task) file() winfetch.File {
	return winfetch.File{URL: t.URL, Dest: t.Dest, SHA256: t.SHA256, CA: t.CAPEM}
}

func (t *Task) Validate() error {
	if err := winpath.Check("dest", t.Dest); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	return t.file().Check()
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	sum, err := winfetch.Sum(ctx, h, t.Dest)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Absent() && sum != "":
		return module.OneStep("remove "+t.Dest, t.remove), nil
	case t.Absent(), sum == strings.ToLower(t.SHA256):
		return nil, nil
	case sum == "":
		return module.OneStep("download "+h.Redact(t.URL)+" to "+t.Dest, t.fetch), nil
	}
	return module.OneStep("download "+h.Redact(t.URL)+" to "+t.Dest+", whose checksum differs", t.fetch), nil
}

func (t *Task) fetch(ctx context.Context, h module.Host) error {
	sum, err := winfetch.Sum(ctx, h, t.Dest)
	if err != nil || sum == strings.ToLower(t.SHA256) {
		return err
	}
	return t.file().Fetch(ctx, h)
}

// remove removes the file and the rest of an interrupted fetch.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	if err := h.Files().Remove(ctx, t.Dest+".part"); err != nil {
		return err
	}
	return h.Files().Remove(ctx, t.Dest)
}

type Outputs struct {
	Path   string `cty:"path" arg:"dest,content"` // the file
	SHA256 string `cty:"sha256"`                  // its checksum in hex; empty for an absent file
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	sum := strings.ToLower(t.SHA256)
	if t.Absent() {
		sum = ""
	}
	return Outputs{Path: t.Dest, SHA256: sum}, nil
}
