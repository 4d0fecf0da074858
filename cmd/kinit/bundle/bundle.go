// Package bundle packs the data of a run into one archive for support: the event log, and
// the report, the JUnit XML and the text that are made from it. All of it was redacted when
// it was written.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/report"
	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
)

// comment is that of each archive.
const comment = "kinit"

// Start is how each archive begins: its head has the comment, and no time and no name; RFC 1952.
const Start = "\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff" + comment + "\x00"

// Write packs the run whose log is at a path, as a gzipped tar. The same log gives
// the same bytes.
func Write(w io.Writer, path string) error {
	log, err := runlog.Read(path)
	if err != nil {
		return err
	}
	events, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the log of a run: %w", err)
	}
	run := replay.Of(log)
	zipped := gzip.NewWriter(w)
	zipped.Comment = comment
	archive := &archive{tar: tar.NewWriter(zipped), run: run}
	archive.add("events.jsonl", func(to io.Writer) error { _, err := to.Write(events); return err })
	archive.add("report.html", func(to io.Writer) error { return report.Write(to, run) })
	archive.add("junit.xml", func(to io.Writer) error { return junit.Write(to, run) })
	archive.add("output.txt", func(to io.Writer) error { return text(to, log) })
	if archive.err != nil {
		return archive.err
	}
	if err := errors.Join(archive.tar.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// archive writes files until the first error.
type archive struct {
	tar *tar.Writer
	run *replay.Run
	err error
}

// add adds a file to the run's folder. Only its owner may read it.
func (a *archive) add(name string, write func(io.Writer) error) {
	if a.err != nil {
		return
	}
	var content bytes.Buffer
	if a.err = write(&content); a.err != nil {
		return
	}
	a.err = a.tar.WriteHeader(&tar.Header{Name: a.run.ID + "/" + name, Mode: 0o600, Size: int64(content.Len()), ModTime: a.run.Started})
	if a.err == nil {
		_, a.err = a.tar.Write(content.Bytes())
	}
}

// text writes the terminal's text, with every step and diff, to a buffer.
func text(to io.Writer, log *runlog.Run) error {
	screen := view.Screen{Writer: to}
	replay.Show(log, replay.Text(log, screen, screen, true))
	return nil
}

// Each calls f with each file of a bundle until f returns an error, which Each then
// returns.
func Each(content []byte, f func(name, text string) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("read a bundle: %w", err)
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a bundle: %w", err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return fmt.Errorf("read a bundle: %w", err)
		}
		if err := f(header.Name, string(text)); err != nil {
			return err
		}
	}
}
