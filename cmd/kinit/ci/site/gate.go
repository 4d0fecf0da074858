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
)

// gate lets nothing through that may have a secret in it.
type gate struct {
	withhold func(what string)
	shapes   []shape
}

// shape is what a kind of key looks like.
type shape struct {
	what   string
	marker string // every key of the kind has it: most texts need no more than a look for it
	format *regexp.Regexp
}

// shapes are the kinds of keys that kinit and what it deploys use, and those that CI has
// at hand. They are looked for whoever wrote the text, so that a secret nobody told kinit
// of does not get out either.
func shapes() []shape {
	return []shape{
		{"a private key", "PRIVATE KEY", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)},
		{"an age identity", "AGE-SECRET-KEY-", regexp.MustCompile(`AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]{58}`)},
		{"a key of a kubeconfig", "client-key-data", regexp.MustCompile(`client-key-data"?: *"?[A-Za-z0-9+/=]{40}`)},
		{"a JSON web token", "eyJ", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
		{"a bootstrap token", ".", regexp.MustCompile(`(?i)token[^\n]{0,20}\b[a-z0-9]{6}\.[a-z0-9]{16}\b`)},
		{"a token of GitHub", "gh", regexp.MustCompile(`\b(ghp|gho|ghs|ghr|github_pat)_[A-Za-z0-9_]{30,}`)},
		{"a token of GitLab", "gl", regexp.MustCompile(`\bgl(pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{20,}`)},
	}
}

// found is what a text has in it that looks like a key; empty when nothing does.
func (g *gate) found(text string) string {
	for _, s := range g.shapes {
		if strings.Contains(text, s.marker) && s.format.MatchString(text) {
			return s.what
		}
	}
	return ""
}

// clean takes out of records what looks like a key: pages are made of nothing else.
func (g *gate) clean(runs []*result.Result) {
	for _, r := range runs {
		if r.End == nil || r.End.Error == nil {
			continue
		}
		p := r.End.Error
		var lines []string
		for _, l := range p.Lines {
			lines = append(lines, l.Text)
		}
		texts := []string{p.Summary, p.Detail, p.Address, strings.Join(lines, "\n")}
		if p.Command != nil {
			texts = append(texts, p.Command.Line)
		}
		if what := g.found(strings.Join(texts, "\n")); what != "" {
			g.withhold(fmt.Sprintf("%s of %s: its error has what looks like %s", r.ID, r.Header.Job, what))
			r.End.Error = &result.Problem{Summary: "Withheld", Detail: "The error is not shown, because it has what looks like " + what + ".", Signature: p.Signature}
		}
	}
}

// passes looks at a file of a run, and returns its content when it may be published, else
// why not.
func (g *gate) passes(r *result.Result, f result.File) (content []byte, why string) {
	if !f.Clean {
		return nil, "a secret of the run is in it"
	}
	if filepath.Base(f.Name) != f.Name {
		return nil, "its name is no name of a file"
	}
	content, err := os.ReadFile(filepath.Join(r.Folder, f.Name))
	if err != nil {
		return nil, "it cannot be read"
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, "it is not what was looked at when the run ended"
	}
	what, err := g.inside(f.Name, content)
	if err != nil {
		return nil, "nobody can look into it"
	}
	if what != "" {
		return nil, "it has what looks like " + what
	}
	return content, ""
}

// inside is what a file, or one in an archive, has in it that looks like a key.
func (g *gate) inside(name string, content []byte) (string, error) {
	if !strings.HasSuffix(name, ".tar.gz") {
		return g.found(string(content)), nil
	}
	what := ""
	err := bundle.Each(content, func(_, text string) error {
		if what == "" {
			what = g.found(text)
		}
		return nil
	})
	return what, err
}
