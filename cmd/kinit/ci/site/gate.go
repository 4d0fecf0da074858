package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"kinit/cmd/kinit/bundle"
	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/replay"
	"kinit/engine/lists"
)

// gate withholds texts that may contain a secret.
type gate struct {
	withhold func(what string)
}

// shape is the pattern of a kind of key.
type shape struct {
	what   string
	marker string // every key of the kind contains it: most texts need no further check
	format *regexp.Regexp
}

// shapes are the kinds of keys that kinit, its deployments and CI systems use. Every text
// is checked for them, so that secrets unknown to kinit are not published either.
var shapes = []shape{
	{"a private key", "PRIVATE KEY", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)},
	{"an age identity", "AGE-SECRET-KEY-", regexp.MustCompile(`AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]{58}`)},
	{"a key of a kubeconfig", "client-key-data", regexp.MustCompile(`client-key-data"?: *"?[A-Za-z0-9+/=]{40}`)},
	{"a JSON web token", "eyJ", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"a bootstrap token", ".", regexp.MustCompile(`(?i)token[^\n]{0,20}\b[a-z0-9]{6}\.[a-z0-9]{16}\b`)},
	{"a token of GitHub", "gh", regexp.MustCompile(`\b(ghp|gho|ghs|ghr|github_pat)_[A-Za-z0-9_]{30,}`)},
	{"a token of GitLab", "gl", regexp.MustCompile(`\bgl(pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{20,}`)},
}

// found returns what looks like a key in a text; empty if nothing does.
func found(text string) string {
	for _, s := range shapes {
		if strings.Contains(text, s.marker) && s.format.MatchString(text) {
			return s.what
		}
	}
	return ""
}

// clean removes texts that look like a key from records: pages are made only of records.
func (g *gate) clean(runs []*result.Result) {
	for _, r := range runs {
		if r.End == nil || r.End.Error == nil {
			continue
		}
		p := r.End.Error
		lines := lists.Map(p.Lines, func(l replay.Line) string { return l.Text })
		texts := []string{p.Summary, p.Detail, p.Address, strings.Join(lines, "\n")}
		if p.Command != nil {
			texts = append(texts, p.Command.Line)
		}
		if what := found(strings.Join(texts, "\n")); what != "" {
			g.withhold(fmt.Sprintf("%s of %s: its error has what looks like %s", r.ID, r.Header.Job, what))
			r.End.Error = &result.Problem{Summary: "Withheld", Detail: "The error is not shown, because it has what looks like " + what + ".", Signature: p.Signature}
		}
	}
}

// passes checks a file of a run, and returns its content if it may be published, else
// the reason.
func (g *gate) passes(r *result.Result, f result.File) (content []byte, why string) {
	if !f.Clean {
		return nil, "a secret of the run is in it"
	}
	if filepath.Base(f.Name) != f.Name {
		return nil, "its name is not the name of a file"
	}
	content, err := os.ReadFile(filepath.Join(r.Folder, f.Name))
	if err != nil {
		return nil, "it cannot be read"
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, "it has changed since the run ended"
	}
	what, err := g.inside(f.Name, content)
	if err != nil {
		return nil, "it cannot be unpacked"
	}
	if what != "" {
		return nil, "it has what looks like " + what
	}
	return content, ""
}

// inside returns what looks like a key in a file, or in a file of an archive.
func (g *gate) inside(name string, content []byte) (string, error) {
	if !strings.HasSuffix(name, ".tar.gz") {
		return found(string(content)), nil
	}
	what := ""
	err := bundle.Each(content, func(_, text string) error {
		if what == "" {
			what = found(text)
		}
		return nil
	})
	return what, err
}
