// Package pending keeps on hosts which handlers were notified and have not been done, so that the
// next run does them. A note is written before a task changes anything and removed after the
// handler has succeeded: a run that is killed in between loses no notification.
package pending

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"kinit/engine/module"
)

// Folder is the part of a path below the folder in which kinit keeps what it needs of its own.
const Folder = "/pending"

// The most that is read of a host: the size of a note in bytes, and how many there are.
const (
	largest     = 64 << 10
	most        = 10_000
	mostForeign = 100
)

// Note is one notification: a task may have changed something, and a handler is to be done for
// it. It contains no value of the playbook but the keys of for_each, which are never secret.
type Note struct {
	Playbook string    `json:"playbook"` // its owner or its name, the same wherever it is run from
	Spec     string    `json:"spec"`     // the spec's own name
	Handler  string    `json:"handler"`  // the address of its block
	Host     string    `json:"host"`     // on which the handler is to be done
	Task     string    `json:"task"`     // the address of the task
	Since    time.Time `json:"since"`
}

// Same reports whether two notes are of the same task and handler.
func (n Note) Same(other Note) bool { return n.file() == other.file() }

// file returns the name of the note's file. Notes of one playbook begin alike.
func (n Note) file() string {
	return prefix(n.Playbook) + digest(strings.Join([]string{n.Handler, n.Host, n.Task}, "\n")) + ".json"
}

func prefix(playbook string) string { return digest(playbook) + "-" }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// Path returns where a note is in a folder.
func (n Note) Path(folder string) string { return path.Join(folder, n.file()) }

// Notes are the notes in a folder.
type Notes struct {
	Folder bool   // it exists
	Own    []Note // of the playbook
	Others []Note // of other playbooks; not all, if there are very many
}

// Read returns the notes in a folder, which need not exist. The error names a file that is no note of
// the playbook although its name says so; the other notes are returned nevertheless.
func Read(ctx context.Context, files module.Files, folder, playbook string) (Notes, error) {
	entries, err := files.List(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return Notes{}, nil
	}
	if err != nil {
		return Notes{}, err
	}
	notes := Notes{Folder: true}
	var problems error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name, ".json") || strings.HasPrefix(e.Name, ".") {
			continue
		}
		if !strings.HasPrefix(e.Name, prefix(playbook)) {
			if len(notes.Others) < mostForeign {
				if note, err := read(ctx, files, path.Join(folder, e.Name)); err == nil && note.file() == e.Name {
					notes.Others = append(notes.Others, note)
				}
			}
			continue
		}
		if len(notes.Own) == most {
			return notes, errors.Join(problems, fmt.Errorf("%s has more than %d notifications; remove those that are not needed", folder, most))
		}
		note, err := read(ctx, files, path.Join(folder, e.Name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // another run has done the handler meanwhile
		case err != nil || note.Playbook != playbook || note.file() != e.Name:
			problems = errors.Join(problems, fmt.Errorf("%s is no notification that kinit has written; remove it", path.Join(folder, e.Name)), err)
		default:
			notes.Own = append(notes.Own, note)
		}
	}
	return notes, problems
}

func read(ctx context.Context, files module.Files, name string) (note Note, err error) {
	file, err := files.Open(ctx, name)
	if err != nil {
		return Note{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largest))
	if err != nil {
		return Note{}, err
	}
	return note, json.Unmarshal(text, &note)
}

// Write stores a note durably.
func Write(ctx context.Context, files module.Files, folder string, note Note) error {
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return files.Write(ctx, note.Path(folder), bytes.NewReader(append(text, '\n')), module.Attr{Mode: 0o600})
}

// Remove removes a note. A missing one is no error.
func Remove(ctx context.Context, files module.Files, folder string, note Note) error {
	return files.Remove(ctx, note.Path(folder))
}
