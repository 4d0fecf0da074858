package site

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/view"
)

// jobPage is the page of a job, or one that follows it.
type jobPage struct {
	frame
	*job
	First    bool // of the pages
	Ready    *measure
	Measures []*measure
	Error    *shownError
	Rows     []runRow
	Verdicts []result.Verdict // that the job's runs on this page have
	Pager    pager
	Newest   *result.Result
	Badge    string
}

// shownError is the first error of a run with all that belongs to it.
type shownError struct {
	Run       *result.Result
	Problem   *result.Problem
	Sightings sightings
	Link      string // to the run's page; empty on it
	Says      string
	Files     []fileLink
	Rerun     string
	Current   bool // the newest run failed so
}

// runRow is a run in a list.
type runRow struct {
	*result.Result
	Class   string
	Says    string
	Changed tally
	Left    tally
	Error   string
	Took    time.Duration
}

// pictureFile is the picture of the cluster, which the page of a run shows.
const pictureFile = "topology.svg"

// runPage is the page of a run.
type runPage struct {
	frame
	runRow
	Error   *shownError
	Files   []fileLink
	Picture string // of the cluster; empty without a published one
}

// fileLink leads to a file of a run, or says why there is none.
type fileLink struct {
	Name, Link, What, Why string
}

func (s *site) job(j *job) error {
	files := map[string][]fileLink{}
	for _, r := range j.Runs {
		links, err := s.run(j, r)
		if err != nil {
			return err
		}
		files[r.ID] = links
	}
	folder := "jobs/" + j.Address + "/"
	ready, rest := measures(j.Runs, s.Now)
	for i, part := range parts(j.Runs, runsPerPage) {
		p := jobPage{frame: s.frame("../../", j.Address), job: j, First: i == 0, Ready: ready, Measures: rest, Newest: j.Runs[0],
			Pager: newPager(i, len(j.Runs), runsPerPage), Badge: "badges/" + j.Address + ".svg"}
		for _, r := range part {
			p.Rows = append(p.Rows, newRunRow(r))
		}
		p.Verdicts = slices.DeleteFunc(result.Verdicts(), func(v result.Verdict) bool {
			return !slices.ContainsFunc(part, func(r *result.Result) bool { return r.Verdict() == v })
		})
		if r := j.shown(); r != nil && i == 0 {
			p.Error = j.errorOf(r, "runs/"+r.ID+"/", files[r.ID])
		}
		if err := s.page(folder+pageName(i), "job.html", p); err != nil {
			return err
		}
	}
	return s.write("badges/"+j.Address+".svg", func(w io.Writer) error { return writeBadge(w, j, s.Now) })
}

func newRunRow(r *result.Result) runRow {
	out := runRow{Result: r, Class: verdictClass(r.Verdict()), Says: says(r), Changed: changed(r), Left: leftovers(r), Took: r.Ended().Sub(r.Header.Started)}
	if r.End != nil && r.End.Error != nil {
		out.Error = r.End.Error.Summary
	}
	return out
}

// errorOf is the first error of a run. One whose program died has none, and says so.
func (j *job) errorOf(r *result.Result, folder string, files []fileLink) *shownError {
	e := &shownError{Run: r, Says: says(r), Rerun: r.Header.Rerun, Current: r == j.Runs[0]}
	if folder != "" {
		e.Link = folder + "index.html"
	}
	for _, f := range files {
		if f.Link != "" {
			f.Link = folder + f.Link
		}
		e.Files = append(e.Files, f)
	}
	e.Problem = &result.Problem{Summary: "The program ended before the run did", Detail: "It was killed, or its machine went down. The record ends in the phase " + string(r.FailedPhase()) + "."}
	if r.End != nil && r.End.Error != nil {
		e.Problem = r.End.Error
		e.Sightings = *j.seen[e.Problem.Signature]
	}
	return e
}

// run renders the page of a run and publishes its files. The page of a run that is over
// is made of its record alone and has its time, so that it is rendered once. That of a run
// at work has another time: nothing is written to the record when its program is killed.
func (s *site) run(j *job, r *result.Result) ([]fileLink, error) {
	folder := "jobs/" + j.Address + "/runs/" + r.ID + "/"
	files, fresh, err := s.publish(folder, r)
	if err != nil {
		return nil, err
	}
	s.report.Runs++
	path := folder + "index.html"
	target := filepath.Join(s.Out, path)
	over := r.Verdict() != result.Running
	if there, err := os.Stat(target); s.same && over && !fresh && err == nil && there.ModTime().Equal(r.Modified) {
		s.written[path] = true
		s.report.Pages++
		return files, nil
	}
	p := runPage{frame: s.frame("../../../../", j.Address+", "+r.Header.Started.UTC().Format("2 January 2006 15:04")), runRow: newRunRow(r), Files: files}
	for _, f := range files {
		if f.Name == pictureFile {
			p.Picture = f.Link
		}
	}
	if over && r.Verdict() != result.Passed {
		p.Error = j.errorOf(r, "", nil)
		p.Error.Sightings = sightings{} // they grow; the page of the job has them
	}
	p.Rendered = time.Time{}
	if err := s.page(path, "run.html", p); err != nil {
		return nil, err
	}
	modified := r.Modified
	if !over {
		modified = modified.Add(-time.Second)
	}
	if err := os.Chtimes(target, modified, modified); err != nil {
		return nil, fmt.Errorf("write the site: %w", err)
	}
	return files, nil
}

// publish copies the files of a run that may be published. One that is there already, with
// its size and time, was looked at before; fresh reports whether there was any other.
func (s *site) publish(folder string, r *result.Result) (links []fileLink, fresh bool, err error) {
	if r.End == nil {
		return nil, false, nil
	}
	for _, f := range r.End.Files {
		link := fileLink{Name: f.Name, What: meaning(f.Name), Link: f.Name}
		source, target := filepath.Join(r.Folder, filepath.Base(f.Name)), filepath.Join(s.Out, folder, filepath.Base(f.Name))
		if f.Clean && published(source, target, f.Size) {
			s.written[folder+filepath.Base(f.Name)] = true
			links = append(links, link)
			continue
		}
		fresh = true
		content, why := s.gate.passes(r, f)
		if why != "" {
			s.gate.withhold(f.Name + " of " + r.ID + " of " + r.Header.Job + ": " + why)
			link.Link, link.Why = "", why
			if err = os.Remove(target); errors.Is(err, fs.ErrNotExist) { // it was never published
				err = nil
			}
		} else {
			err = s.copy(source, folder+f.Name, content)
		}
		if err != nil {
			return nil, false, err
		}
		links = append(links, link)
	}
	return links, fresh, nil
}

// published reports whether a file is there already, as it was when it was looked at.
func published(source, target string, size int64) bool {
	from, err := os.Stat(source)
	if err != nil {
		return false
	}
	there, err := os.Stat(target)
	return err == nil && there.Size() == size && there.ModTime().Equal(from.ModTime())
}

// copy puts a file that was looked at into the site, with the time of its source.
func (s *site) copy(source, path string, content []byte) error {
	from, err := os.Stat(source)
	if err != nil {
		return fmt.Errorf("publish a file: %w", err)
	}
	if err := s.put(path, content); err != nil {
		return err
	}
	if err := os.Chtimes(filepath.Join(s.Out, path), from.ModTime(), from.ModTime()); err != nil {
		return fmt.Errorf("publish a file: %w", err)
	}
	return nil
}

// meaning says what a file is, for people.
func meaning(name string) string {
	known := map[string]string{"report.html": "Report", "junit.xml": "JUnit", "events.jsonl": "Event log", pictureFile: "Topology", "evidence.tar.gz": "Evidence"}
	return cmp.Or(known[name], name)
}

// functions are what the pages may call.
var functions = template.FuncMap{
	"duration": view.Seconds,
	"clean":    view.Clean,
	"day":      func(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04") },
	"daynum":   func(t time.Time) string { return t.Format("2") },
	"daylong":  func(t time.Time) string { return t.Format("Monday, 2 January") },
	"date":     func(t time.Time) string { return t.UTC().Format("2 January 2006") },
	"stamp":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"join":     func(all []string) string { return strings.Join(all, ", ") },
	"verdict":  verdictClass,
	"took":     func(r result.Phase) string { return view.Seconds(r.Duration()) },
}
