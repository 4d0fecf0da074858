// Package unarchive is the module "unarchive": what is in a tar or zip file,
// unpacked into a folder of a host.
//
// The archive is unpacked beside its place first, so that a damaged one changes
// nothing. What came out of it is listed in a manifest in the folder, by which a
// later run sees with one look whether all is as it was.
package unarchive

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
)

// The hidden names that the module uses in dest.
const (
	manifestName = ".kinit-unarchive.json"  // what was unpacked
	fetchedName  = ".kinit-unarchive"       // the archive, while it is unpacked
	unpackedName = ".kinit-unarchive.parts" // its content, until it is complete
)

// Task is the content of an archive in a folder. The archive is given by exactly one
// of source, archive and url.
//
// It is unpacked again when it is another one, and when something of it is missing
// or has another type, mode, owner, size, time or link target than it had after
// unpacking. What others put into the folder stays; what the archive of an earlier
// run had and this one has not is removed. With creates, only that path counts.
//
// The host needs GNU tar with the decompressor, or unzip, and GNU find.
//
// Outputs:
//   - path: the folder
//   - sha256: the archive's checksum in hex; empty for an absent one
//
// Errors:
//   - the archive is missing or damaged, or its checksum is not sha256; the folder is as before
//   - dest exists and the cluster does not own it: give the archive a folder of its own
//   - strip leaves nothing of the archive
//   - a program that is needed is not installed
type Task struct {
	// Source is an archive on the machine kinit runs on: a path relative to the folder
	// of the playbook file, as for the function file.
	Source string `hcl:"source,optional"`
	// Archive is the absolute path of an archive on the host.
	Archive string `hcl:"archive,optional"`
	// URL is where the host fetches the archive: http, https, or file.
	URL string `hcl:"url,optional"`
	// SHA256 is the archive's checksum in hex. Needed with url.
	SHA256 string `hcl:"sha256,optional"`
	// Dest is the absolute path of the folder. It is made where it is missing, with
	// its parents.
	Dest string `hcl:"dest"`
	// Format is "tar", however it is compressed, or "zip". Default: what the name of
	// the archive ends with.
	Format string `hcl:"format,optional"`
	// Strip is how many leading folders to leave out of each name; what has no more
	// than those is left out.
	Strip int `hcl:"strip,optional"`
	// Keep are patterns such as "conf/*.conf", in which * stops at slashes, of files
	// that belong to others once they are there: they are neither compared nor
	// replaced.
	Keep []string `hcl:"keep,optional"`
	// Creates is a path that says that nothing is to do while it is there. Nothing
	// else is compared then.
	Creates string `hcl:"creates,optional"`
	// Owner is the user name or number that everything unpacked belongs to. Default:
	// the user who unpacks it.
	Owner string `hcl:"owner,optional"`
	// Group is the group name or number likewise.
	Group string `hcl:"group,optional"`
	// State is "present" or "absent". Absent removes what is in the manifest.
	State string `hcl:"state,optional"`

	sum   string            // the archive's checksum, found by Plan
	files module.LocalFiles // where source is
}

// Kind is the module "unarchive".
func Kind() module.Kind {
	return module.Kind{Name: "unarchive", New: func() module.Task { return &Task{State: "present"} }}
}

// ReadFrom says where source is.
func (t *Task) ReadFrom(files module.LocalFiles) { t.files = files }

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckPath("dest", t.Dest); err != nil {
		return err
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil || t.State == "absent" {
		return err
	}
	if t.given() != 1 {
		return errors.New("want exactly one of source, archive and url")
	}
	for _, pattern := range t.Keep {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("keep has %q, which is no pattern: %w", pattern, err)
		}
	}
	switch {
	case t.SHA256 != "" && (len(t.SHA256) != 64 || strings.Trim(strings.ToLower(t.SHA256), "0123456789abcdef") != ""):
		return fmt.Errorf("sha256 is %q, want 64 hex digits", t.SHA256)
	case t.URL != "" && t.SHA256 == "":
		return errors.New("sha256 is missing, want the checksum of what is at url")
	case t.Strip < 0:
		return fmt.Errorf("strip is %d, want 0 or more", t.Strip)
	case t.Archive != "" && fileattr.CheckPath("archive", t.Archive) != nil:
		return fileattr.CheckPath("archive", t.Archive)
	case t.format() == "":
		return fmt.Errorf("format is %q and the archive %q, want tar or zip", t.Format, t.name())
	}
	return nil
}

func (t *Task) given() int {
	n := 0
	for _, is := range []string{t.Source, t.Archive, t.URL} {
		if is != "" {
			n++
		}
	}
	return n
}

// name is the archive's own name.
func (t *Task) name() string {
	if u, err := url.Parse(t.URL); t.URL != "" && err == nil {
		return path.Base(u.Path)
	}
	return path.Base(t.Source + t.Archive)
}

// format is the format asked for, or the one that the archive's name ends with.
func (t *Task) format() string {
	if t.Format == "tar" || t.Format == "zip" {
		return t.Format
	}
	if t.Format != "" {
		return ""
	}
	for _, end := range []string{".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar.zst"} {
		if strings.HasSuffix(t.name(), end) {
			return "tar"
		}
	}
	if strings.HasSuffix(t.name(), ".zip") {
		return "zip"
	}
	return ""
}

// Plan compares the folder with the archive.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.decideAbsent(h, s)
	}
	return t.decide(h, s)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "sha256": cty.String}
}

// Outputs returns what Plan found.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{"path": cty.StringVal(t.Dest), "sha256": cty.StringVal(t.sum)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Sourced   = (*Task)(nil)
)
