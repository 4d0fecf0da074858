// Package download is the module "download": a file fetched from a URL by the
// host itself, verified by its checksum.
//
// curl or wget fetches into <dest>.part, where an interrupted download goes on
// the next time, or where another user can change the folder, into one of its own; the
// part is verified and then renamed. What was verified is
// remembered in <dest>.kinit-sum, so that a later run needs no more than a look
// at size and time.
package download

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
)

// Task is a file from a URL. Exactly one of sha256, sha512, sha256_url and
// unverified says how it is checked. A file with another checksum is replaced
// where the cluster owns it.
//
// Outputs:
//   - path: the file
//   - sha256: its checksum in hex; empty where another checksum or none was asked for,
//     or for an absent file
//
// Errors:
//   - the URL cannot be fetched from the host, or nothing arrives for 60 s
//   - the checksum is another one; what was fetched is removed
//   - what is published at sha256_url or sha512_url has no checksum for the file
//   - a file with another checksum is there and the cluster does not own it
//   - neither curl nor wget is installed on the host
type Task struct {
	// URL is where the file is: http, https, or file for a path of the host.
	URL string `hcl:"url,optional"`
	// Dest is the absolute path of the file on the host. Its folder must exist.
	Dest string `hcl:"dest"`
	// SHA256 is the file's checksum in hex.
	SHA256 string `hcl:"sha256,optional"`
	// SHA512 is the file's checksum in hex.
	SHA512 string `hcl:"sha512,optional"`
	// SHA256URL is where the file's sha256 is published: a lone checksum, or lines
	// as sha256sum prints them. The host reads it in every run.
	SHA256URL string `hcl:"sha256_url,optional"`
	// SHA512URL is the same for the file's sha512.
	SHA512URL string `hcl:"sha512_url,optional"`
	// Pin keeps a file that was fetched and verified once, whatever is published
	// later. What stands on the file, such as disks that overlay it, needs that.
	// Default false.
	Pin bool `hcl:"pin,optional"`
	// Unverified takes the file as it comes. A file that is there is then never
	// fetched again.
	Unverified bool `hcl:"unverified,optional"`
	// Mode is the permission bits, such as "0644". Default: "0644" for a new file.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: as it is.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: as it is.
	Group string `hcl:"group,optional"`
	// Keep lets the file stay on cleanup unless everything is purged.
	Keep bool `hcl:"keep,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`

	sum sum
}

// sum is a checksum that a file should have.
type sum struct {
	algorithm string // sha256, sha512, or empty for none
	hex       string
}

// Kind is the module "download".
func Kind() module.Kind {
	return module.Kind{Name: "download", Elsewhere: "win_download", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckPath("dest", t.Dest); err != nil {
		return err
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if err := t.want().Validate(); err != nil {
		return err
	}
	if t.State == "absent" {
		return nil
	}
	if err := checkURL("url", t.URL, "http", "https", "file"); err != nil {
		return err
	}
	return t.checkSums()
}

func checkURL(argument, text string, schemes ...string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("%s is no URL: %w", argument, errors.Unwrap(err))
	}
	for _, scheme := range schemes {
		if u.Scheme == scheme && (u.Host != "" || scheme == "file" && strings.HasPrefix(u.Path, "/")) {
			return nil
		}
	}
	return fmt.Errorf("%s is %q, want a full URL with %s", argument, u.Redacted(), strings.Join(schemes, ", "))
}

func (t *Task) checkSums() error {
	given := 0
	for _, is := range []bool{t.SHA256 != "", t.SHA512 != "", t.SHA256URL != "", t.SHA512URL != "", t.Unverified} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("want exactly one of sha256, sha512, sha256_url, sha512_url and unverified = true")
	case t.SHA256 != "" && !isHex(t.SHA256, 64):
		return fmt.Errorf("sha256 is %q, want 64 hex digits", t.SHA256)
	case t.SHA512 != "" && !isHex(t.SHA512, 128):
		return fmt.Errorf("sha512 is %q, want 128 hex digits", t.SHA512)
	case t.SHA256URL != "":
		return checkURL("sha256_url", t.SHA256URL, "http", "https", "file")
	case t.SHA512URL != "":
		return checkURL("sha512_url", t.SHA512URL, "http", "https", "file")
	}
	return nil
}

func isHex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

func (t *Task) want() fileattr.Want {
	return fileattr.Want{Mode: t.Mode, Owner: t.Owner, Group: t.Group}
}

// shownURL is the URL without a password.
func (t *Task) shownURL(h module.Host) string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return h.Redact(t.URL)
	}
	return h.Redact(u.Redacted())
}

// Plan compares the file with the checksum.
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

// Outputs returns where the file is, and the checksum that Plan found it to have.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	hex := ""
	if t.sum.algorithm == "sha256" && t.State == "present" {
		hex = t.sum.hex
	}
	return map[string]cty.Value{"path": cty.StringVal(t.Dest), "sha256": cty.StringVal(hex)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
