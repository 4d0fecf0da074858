// Package winfetch makes a Windows host fetch a file from a URL and verifies it, for
// the modules win_download and win_package.
//
// The curl that Windows has since Server 2019 fetches into <dest>.part, so that the next
// run continues an interrupted fetch.
package winfetch

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/growth"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed fetch.ps1
var fetchScript string

// File is a file to fetch.
type File struct {
	URL    string
	Dest   string // a path of the host, in an existing folder
	SHA256 string // in hex, lower case
	CA     string // the certificates, in PEM, that the server is verified with; empty for the host's
}

// Check returns the mistake in the arguments url, sha256 and ca_pem.
func (f File) Check() error {
	u, err := url.Parse(f.URL)
	switch {
	case err != nil:
		return fmt.Errorf("url is no URL: %w", errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("url is %q, want a full URL with http or https", u.Redacted())
	case u.User != nil:
		return fmt.Errorf("url is %q, want it without user and password, which the host's list of processes would show", u.Redacted())
	case len(f.SHA256) != 64 || strings.Trim(strings.ToLower(f.SHA256), "0123456789abcdef") != "":
		return fmt.Errorf("sha256 is %q, want 64 hex digits", f.SHA256)
	case f.CA != "" && !strings.Contains(f.CA, "-----BEGIN CERTIFICATE-----"):
		return errors.New("ca_pem has no certificate, want PEM text")
	}
	return winpath.CheckRoom("dest", f.Dest, ".part")
}

// outcome is the result of one fetch.
type outcome struct {
	Code    int    // curl's exit code
	Resumed bool   // a part existed
	SHA256  string // of what was fetched, empty for nothing
}

// Fetch writes the file to its destination. If a part could not be continued, or was
// of another file, the fetch starts again from the beginning, once.
func (f File) Fetch(ctx context.Context, h module.Host) error {
	out, err := f.fetch(ctx, h)
	if err == nil && out.Resumed && f.wrong(out) && (out.Code == 0 || refused(out.Code)) {
		out, err = f.fetch(ctx, h)
	}
	shown := h.Redact(f.URL)
	switch {
	case err != nil:
		return fmt.Errorf("download %s: %w", shown, err)
	case !f.wrong(out):
		return nil
	case out.Code != 0:
		return fmt.Errorf("download %s: curl.exe ended with code %d: %s", shown, out.Code, meaning(out.Code))
	}
	return fmt.Errorf("sha256 of %s is %s, want %s: the file at the source is another one, or the transfer was damaged", shown, out.SHA256, f.SHA256)
}

func (f File) fetch(ctx context.Context, h module.Host) (outcome, error) {
	stop := growth.Watch(ctx, h, f.Dest+".part", "download "+f.Dest)
	defer stop()
	return powershell.Value[outcome](ctx, h, fetchScript, map[string]any{
		"url": f.URL, "dest": f.Dest, "sha256": strings.ToLower(f.SHA256), "ca": f.CA,
	})
}

func (f File) wrong(out outcome) bool { return out.SHA256 != strings.ToLower(f.SHA256) }

// refused reports whether a server refused to continue a fetch: curl ends with 22
// for a refused request, with 33 and 36 for a refused range.
func refused(code int) bool { return code == 22 || code == 33 || code == 36 }

// meaning returns the meaning of the most frequent codes, by curl's manual.
func meaning(code int) string {
	known := map[int]string{
		6: "the server's name cannot be resolved", 7: "the server cannot be reached", 22: "the server refuses the request, as for a file it does not have",
		23: "the file cannot be written", 28: "nothing arrived for 60 s", 35: "the TLS handshake failed", 56: "the connection was lost", 60: "the server's certificate is not trusted",
		77: "the certificates of ca_pem cannot be read",
	}
	return cmp.Or(known[code], "curl's manual says what that means")
}

//go:embed sum.ps1
var sumScript string

// Sum is the SHA-256, in hex, of a file of the host, computed there; empty for no file.
// A folder is an error.
func Sum(ctx context.Context, h module.Host, path string) (string, error) {
	s, err := powershell.Read[struct {
		SHA256 string
		Folder bool
	}](ctx, h, sumScript, map[string]any{"path": path})
	if err == nil && s.Folder {
		err = fmt.Errorf("%s is a folder, want a file or nothing there", path)
	}
	return s.SHA256, err
}
