package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kinit/cmd/kinit/bundle"
	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/draw/topology"
	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/report"
	"kinit/engine/atomicfile"
)

// The files beside a record.
const (
	reportFile   = "report.html"
	junitFile    = "junit.xml"
	logFile      = "events.jsonl"
	pictureFile  = "topology.svg"
	evidenceFile = "evidence.tar.gz"
)

// keptFile is such a file and what writes it.
type keptFile struct {
	name  string
	write func(io.Writer) error
}

// keepDecisive keeps the files of the decisive phase: the one that failed, else the
// deployment. A failed phase is evidence of its own.
func (e *execution) keepDecisive(attempt int) {
	if e.failure == nil {
		e.keep(e.deploy, false)
		return
	}
	p := result.Phase{Name: result.Evidence, Attempt: attempt, Started: e.Now()}
	e.begin(p)
	p.OK = e.keep(e.failure.at, true)
	p.Ended = e.Now()
	e.finish(p)
}

// keep makes the files of a phase and scans them for secrets. It removes the files of an
// earlier phase.
func (e *execution) keep(p *phase, evidence bool) bool {
	e.files = nil
	if p == nil || p.run == nil {
		return false
	}
	all := []keptFile{
		{reportFile, func(to io.Writer) error { return report.Write(to, p.run) }},
		{junitFile, func(to io.Writer) error { return junit.Write(to, p.run) }},
		{logFile, func(to io.Writer) error {
			content, err := os.ReadFile(p.Log)
			if err == nil {
				_, err = to.Write(content)
			}
			return err
		}},
		{pictureFile, func(to io.Writer) error {
			_, err := io.WriteString(to, topology.SVG(p.run.Plan.Topology))
			return err
		}},
		{evidenceFile, func(to io.Writer) error { return bundle.Write(to, p.Log) }},
	}
	all = slices.DeleteFunc(all, func(f keptFile) bool {
		return f.name == evidenceFile && !evidence || f.name == pictureFile && p.run.Plan.Topology == nil
	})
	ok := true
	for _, f := range all {
		kept, err := keepFile(filepath.Join(e.record.Folder(), f.name), f.write, p.Redact)
		if err != nil {
			e.note(fmt.Errorf("keep %s: %w", f.name, err))
			ok = false
			continue
		}
		if !kept.Clean {
			e.Progress.Notice(e.job, "a secret of the run is in "+f.name+", so it will not be published")
		}
		e.files = append(e.files, kept)
	}
	return ok
}

// keepFile writes a file atomically, readable only by its owner, and scans it for secrets.
func keepFile(path string, write func(io.Writer) error, redact func(string) string) (result.File, error) {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return result.File{}, err
	}
	clean, err := free(filepath.Base(path), content.Bytes(), redact)
	if err != nil {
		return result.File{}, err
	}
	if err := atomicfile.Write(path, 0o600, atomicfile.Bytes(content.Bytes())); err != nil {
		return result.File{}, err
	}
	sum := sha256.Sum256(content.Bytes())
	return result.File{Name: filepath.Base(path), Size: int64(content.Len()), SHA256: hex.EncodeToString(sum[:]), Clean: clean}, nil
}

// free reports whether a file is free of secrets. All of them are known by now, also those
// that were unknown when the text was written. An unreadable file counts as not free.
func free(name string, content []byte, redact func(string) string) (bool, error) {
	if redact == nil {
		return false, nil
	}
	if !strings.HasSuffix(name, ".tar.gz") {
		return unmasked(string(content), redact), nil
	}
	clean := true
	err := bundle.Each(content, func(_, text string) error {
		clean = clean && unmasked(text, redact)
		return nil
	})
	return clean && err == nil, err
}

// unmasked reports whether masking would change nothing in a text, also after a browser's
// decoding.
func unmasked(text string, redact func(string) string) bool {
	if redact(text) != text {
		return false
	}
	plain := html.UnescapeString(text)
	return plain == text || redact(plain) == plain
}
