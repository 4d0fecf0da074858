// Package site renders results as a static site: one page with an overview of the
// jobs, a page for each job with its numbers and its first error, and a page for each run. It
// needs no server and works from a folder; its script only filters.
//
// Everything is checked before it is written: files in which a run's own program found a
// secret, files that have changed since then, and texts that look like a key are
// withheld, and reported.
package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/engine/atomicfile"
)

//go:embed assets
var assets embed.FS

// Options control the rendering.
type Options struct {
	Results string // the folder of results
	Out     string // the folder of the site; it is made
	Title   string
	BaseURL string // the site's URL, for feeds; empty makes their links relative
	Program string // the version of kinit
	Now     time.Time
}

// Report describes the rendered site.
type Report struct {
	Jobs, Runs, Pages int
	Withheld          []string // what was not published, and why
}

// Write renders the site. It does not write a page that has not changed, so that
// copying the site elsewhere is quick; each page is replaced atomically. Pages of removed
// runs are removed. Of several programs that write the same site, each waits for the others.
// A folder with files that is not a site is an error.
func Write(o Options) (*Report, error) {
	if err := claim(o.Out); err != nil {
		return nil, err
	}
	release, err := lock(o.Out)
	if err != nil {
		return nil, err
	}
	err = mark(o.Out)
	var report *Report
	if err == nil {
		report, err = render(o)
	}
	if err := errors.Join(err, release()); err != nil {
		return nil, err
	}
	return report, nil
}

// render is Write for the only program at work.
func render(o Options) (*Report, error) {
	all, err := load(o.Results, o.Now)
	if err != nil {
		return nil, err
	}
	pages, err := template.New("site").Funcs(functions).ParseFS(assets, "assets/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the pages of the site: %w", err)
	}
	s := &site{Options: o, pages: pages, report: &Report{Jobs: len(all)}, written: map[string]bool{}}
	s.gate = &gate{withhold: func(what string) { s.report.Withheld = append(s.report.Withheld, what) }}
	stamp, err := s.stamp()
	if err != nil {
		return nil, err
	}
	before, err := readStamp(o.Out)
	if err != nil {
		return nil, err
	}
	s.same = before.digest == stamp
	for _, j := range all {
		s.gate.clean(j.Runs)
	}
	steps := []func([]*job) error{s.assets, s.index, s.jobs, s.feeds}
	for _, step := range steps {
		if err := step(all); err != nil {
			return nil, err
		}
	}
	if err := s.removeOld(before); err != nil {
		return nil, err
	}
	return s.report, s.writeStamp(stamp)
}

// stamp is a digest of everything beside its record that affects the page of a run.
func (s *site) stamp() (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", s.title(), s.Program)
	err := fs.WalkDir(assets, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := assets.ReadFile(path)
		if err == nil {
			fmt.Fprintf(sum, "%s %d\n%s", path, len(content), content)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the pages of the site: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// site is the state of one Write.
type site struct {
	Options
	pages   *template.Template
	gate    *gate
	report  *Report
	written map[string]bool // paths below Out
	same    bool            // what is there was rendered with the same pages
}

func (s *site) assets([]*job) error {
	for _, name := range []string{"site.css", "site.js"} {
		content, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("read a part of the site: %w", err)
		}
		if err := s.put(name, content); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) jobs(all []*job) error {
	for _, j := range all {
		if err := s.job(j); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) page(path, name string, data any) error {
	s.report.Pages++
	return s.write(path, func(w io.Writer) error { return s.pages.ExecuteTemplate(w, name, data) })
}

// write renders a file.
func (s *site) write(path string, write func(io.Writer) error) error {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return fmt.Errorf("render %s: %w", path, err)
	}
	return s.put(path, out.Bytes())
}

// put writes a file of the site atomically, unless it has not changed.
func (s *site) put(path string, content []byte) error {
	s.written[path] = true
	file := filepath.Join(s.Out, path)
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make a folder of the site: %w", err)
	}
	if err := atomicfile.Write(file, 0o644, atomicfile.Bytes(content)); err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	return nil
}

func (s *site) title() string { return cmp.Or(s.Title, "Periodic jobs") }

func verdictClass(v result.Verdict) string {
	return map[result.Verdict]string{
		result.Passed: "good", result.Failed: "bad", result.Refused: "odd", result.Infrastructure: "odd", result.Aborted: "open", result.Running: "open",
	}[v]
}
