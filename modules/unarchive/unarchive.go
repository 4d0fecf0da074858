// Package unarchive is the module "unarchive": it unpacks a tar or zip file into a folder
// of a host.
//
// The archive is first unpacked beside its destination, so that a damaged one changes
// nothing. A manifest in the folder lists the unpacked entries, so that a later run
// compares them quickly. Each archive has its own manifest.
package unarchive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
)

// The hidden names that the module uses in dest.
const (
	hiddenName  = ".kinit-unarchive" // begins all of them, and is followed by a word for the archive; it is the archive, while it is unpacked
	manifestEnd = ".json"            // the unpacked entries
	partsEnd    = ".parts"           // the content, until it is complete
	begunEnd    = ".begun"           // the paths of entries that are being put in place
)

// Task is the content of an archive in a folder. Exactly one of source, archive and url
// gives the archive.
//
// It is unpacked again if the archive changes, or if one of its entries is missing or has
// another type, mode, owner, size, time or link target than after unpacking. Other files in
// the folder remain; entries of an earlier archive of the same task that the current one does not have are
// removed, but for files that have been edited since. With creates, only that path counts.
//
// Several tasks can unpack into one folder, one after the other. Of a file that several archives have, that of the last
// one remains. With state "absent", only that archive is removed if the task names one, otherwise all.
//
// The host needs GNU tar with the decompressor, or unzip, and GNU find.
//
// Errors:
//   - the archive is missing or damaged, or its checksum is not sha256; the folder is unchanged
//   - dest exists and the cluster does not own it: use a separate folder for the archive
//   - a foreign file of a cluster's folder is where an entry goes: move it away, or let keep name it
//   - strip, or include and exclude, leave nothing of the archive
//   - a required program is not installed
type Task struct {
	// Source is an archive on the machine kinit runs on: a path relative to the folder
	// of the playbook file, as for the function file.
	Source string `hcl:"source,optional"`
	// Archive is the absolute path of an archive on the host.
	Archive string `hcl:"archive,optional" path:"clean"`
	// URL is the archive's URL for the host: http, https, or file.
	URL string `hcl:"url,optional"`
	// SHA256 is the archive's checksum in hex. Needed with url.
	SHA256 string `hcl:"sha256,optional"`
	// Dest is the absolute path of the folder. It is made with its parents if it is missing.
	Dest string `hcl:"dest" path:"clean"`
	// Format is "tar", with any compression, or "zip". Default: by the ending of the archive's
	// name.
	Format string `hcl:"format,optional"`
	// Strip is the number of leading folders to remove from each name; entries with no more
	// parts than that are left out.
	Strip int `hcl:"strip,optional"`
	// Include are patterns such as "bin/*", in which * stops at slashes, of the entries to unpack, by
	// their names without the stripped folders. A folder stands for all that is in it. Default: all.
	Include []string `hcl:"include,optional"`
	// Exclude are such patterns of entries that are left out, also if include has them.
	Exclude []string `hcl:"exclude,optional"`
	// Keep are patterns such as "conf/*.conf", in which * stops at slashes, of files that
	// belong to others once they exist: they are neither compared nor replaced.
	Keep []string `hcl:"keep,optional"`
	// Creates is a path; if it exists, nothing is unpacked and nothing else is compared.
	Creates string `hcl:"creates,optional" path:"own"`
	// Owner is the user name or number that everything unpacked belongs to. Default:
	// the user who unpacks it.
	Owner string `hcl:"owner,optional"`
	// Group is the group name or number that everything unpacked belongs to. Default: the group
	// of the user who unpacks it.
	Group string `hcl:"group,optional"`
	module.Presence

	sum   string            // the archive's checksum, found by Plan
	files module.LocalFiles // the files that source names

	called string // the task, empty outside of a playbook
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "unarchive", Marks: []module.MarkKind{
		Tree(),
	}})
}

// ReadFrom sets the files that source names.
func (t *Task) ReadFrom(files module.LocalFiles) { t.files = files }

// Called sets the name by which the task finds its archive again.
func (t *Task) Called(task string) { t.called = task }

// Edits returns the folder, since the manifests of its archives depend on each other.
func (t *Task) Edits() string { return t.Dest }

func (t *Task) Validate() error {
	if t.Absent() {
		return nil
	}
	if lists.Count(t.Source != "", t.Archive != "", t.URL != "") != 1 {
		return errors.New("want exactly one of source, archive and url")
	}
	if err := cmp.Or(checkPatterns("keep", t.Keep), checkPatterns("include", t.Include), checkPatterns("exclude", t.Exclude)); err != nil {
		return err
	}
	switch {
	case t.SHA256 != "" && (len(t.SHA256) != 64 || strings.Trim(strings.ToLower(t.SHA256), "0123456789abcdef") != ""):
		return fmt.Errorf("sha256 is %q, want 64 hex digits", t.SHA256)
	case t.URL != "" && t.SHA256 == "":
		return errors.New("sha256 is missing, want the checksum of what is at url")
	case t.Strip < 0:
		return fmt.Errorf("strip is %d, want 0 or more", t.Strip)
	case t.format() == "":
		return fmt.Errorf("format is %q and the archive %q, want tar or zip", t.Format, t.name())
	}
	return nil
}

// name is the archive's own name, empty without one.
func (t *Task) name() string {
	if u, err := url.Parse(t.URL); t.URL != "" && err == nil {
		return path.Base(u.Path)
	}
	if t.Source+t.Archive == "" {
		return ""
	}
	return path.Base(t.Source + t.Archive)
}

// format returns the requested format, or the format of the archive name's ending.
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

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.decideAbsent(h, s)
	}
	return t.decide(h, s)
}

type Outputs struct {
	Path   string `cty:"path" arg:"dest,content"` // the folder
	SHA256 string `cty:"sha256"`                  // the archive's checksum in hex; empty for an absent one
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Dest, SHA256: t.sum}, nil
}
