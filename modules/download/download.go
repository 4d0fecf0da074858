// Package download is the module "download": a file that the host itself fetches from a
// URL and verifies by its checksum.
//
// curl or wget fetches into <dest>.part, so that a later run continues an interrupted
// download. If another user can change the folder, the part is in a private folder instead.
// The part is verified and then renamed. <dest>.kinit-sum records the verified checksum, so
// that a later run compares only size and time.
package download

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/httpclient"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/pathmark"
)

// Task is a file from a URL. Exactly one of sha256, sha512, sha256_url, sha512_url and
// unverified selects the check. A file with another checksum is replaced
// if the cluster owns it. A sweep leaves an image (".qcow2", ".img" or ".raw") on which disks are based.
//
// Errors:
//   - the URL cannot be fetched from the host, or nothing arrives for 60 s
//   - the checksum differs; the fetched file is removed
//   - sha256_url or sha512_url publishes no checksum for the file
//   - a file with another checksum is there and the cluster does not own it
//   - neither curl nor wget is installed on the host, or headers is given and curl is not
type Task struct {
	// URL is the file's URL: http, https, or file for a path on the host.
	URL string `hcl:"url,optional"`
	// Dest is the absolute path of the file on the host. Its folder must exist.
	Dest string `hcl:"dest" path:"clean"`
	// SHA256 is the file's checksum in hex.
	SHA256 string `hcl:"sha256,optional"`
	// SHA512 is the file's checksum in hex.
	SHA512 string `hcl:"sha512,optional"`
	// SHA256URL is the URL of the file's sha256: a lone checksum, or lines as sha256sum
	// prints them, with --tag or without. The host reads it in every run.
	SHA256URL string `hcl:"sha256_url,optional"`
	// SHA512URL is the URL of the file's sha512 in the same form.
	SHA512URL string `hcl:"sha512_url,optional"`
	// Headers are sent with the request, such as a token; they are never shown. Another server to
	// which the first one redirects does not get them, nor do URLs of checksums on another one.
	Headers map[string]string `hcl:"headers,optional" log:"-"`
	// Pin keeps a file that was fetched and verified once, even if another version is
	// published later. Dependents of the file, such as disks that overlay it, need that.
	Pin bool `hcl:"pin,optional"`
	// Unverified accepts the file without a check. An existing file is then never
	// fetched again.
	Unverified bool `hcl:"unverified,optional"`
	fileattr.Want
	// Keep leaves the file on the host at cleanup unless everything is purged.
	Keep bool `hcl:"keep,optional"`
	module.Presence

	sum sum
}

// sum is an expected checksum.
type sum struct {
	algorithm string // sha256, sha512, or empty for none
	hex       string
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "download", Elsewhere: "win_download", Marks: []module.MarkKind{
		module.NewMarkKind("download", "download", pathmark.RemoveUnlessBase, module.MarkTraits{Data: edited, DataNoun: "edited download"}),
	}})
}

func (t *Task) Validate() error {
	if err := t.Want.Validate(); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	if err := checkURL("url", t.URL, "http", "https", "file"); err != nil {
		return err
	}
	if err := t.checkHeaders(); err != nil {
		return err
	}
	switch {
	case lists.Count(t.SHA256 != "", t.SHA512 != "", t.SHA256URL != "", t.SHA512URL != "", t.Unverified) != 1:
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

// Hide promises that headers are never shown: curl reads them from its input.
func (t *Task) Hide(argument string) bool { return strings.HasPrefix(argument, "headers") }

// headerName matches the name of a header; RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func (t *Task) checkHeaders() error {
	for name, value := range t.Headers {
		switch {
		case !headerName.MatchString(name):
			return fmt.Errorf("headers has the name %q, want one such as \"Accept\"", name)
		case strings.ContainsAny(value, "\r\n\x00"):
			return fmt.Errorf("headers has a line end in the value of %s, want one line", name)
		}
	}
	if len(t.Headers) > 0 && strings.HasPrefix(t.URL, "file:") {
		return errors.New("headers is for a server, want it without a URL of a file")
	}
	return nil
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

func isHex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return checksum.PlanAbsent(h, t.Dest, s.exists, s.ours, s.leftover)
	}
	return t.decide(h, s)
}

type Outputs struct {
	Path string `cty:"path" arg:"dest,content"` // the file
	// its checksum in hex; empty if another checksum or none was requested,
	// or for an absent file
	SHA256 string `cty:"sha256"`
}

// Outputs returns the file's path and the checksum that Plan found.
func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	hex := ""
	if t.sum.algorithm == "sha256" && !t.Absent() {
		hex = t.sum.hex
	}
	return Outputs{Path: t.Dest, SHA256: hex}, nil
}

// decide compares without looking at the host.
func (t *Task) decide(h module.Host, s state) ([]module.Step, error) {
	switch {
	case !s.exists:
		return module.OneStep("download "+httpclient.Shown(h, t.URL)+" to "+t.Dest+t.Want.Words(), t.fetch), nil
	case !s.right && !s.ours:
		return nil, ownership.NotOwned(h, module.Mark{ID: t.Dest}, t.Dest+" exists with another checksum and", "move it away")
	case !s.right:
		return module.OneStep("download "+httpclient.Shown(h, t.URL)+" to "+t.Dest+", whose checksum differs", t.fetch), nil
	}
	return t.Want.Plan(t.Dest, s.info), nil
}
