package runlog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kinit/cmd/kinit/runfolder"
	"kinit/engine/diag"
)

// List reads the runs in dir, the newest first. An unreadable log is a run
// with an error.
func List(dir string) ([]*Run, error) {
	names, err := runfolder.Names(dir)
	if err != nil {
		return nil, err
	}
	runs := make([]*Run, len(names))
	for i, name := range names {
		run, err := readEnds(filepath.Join(dir, name, fileName))
		if err != nil {
			run = &Run{ID: name, Err: err}
			run.Header.Started, _ = runfolder.StartOf(name)
		}
		runs[i] = run
	}
	return runs, nil
}

// Find finds a log: a file or a run's folder by its path,
// else a run in dir by its name or the beginning of it, else the newest run of a
// spec. Without a text it returns the newest run.
func Find(dir, text string) (string, error) {
	if path := asPath(text); path != "" {
		return path, nil
	}
	names, err := runfolder.Names(dir)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no run was kept in %s", dir)
	}
	named := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, text) })
	switch {
	case slices.Contains(names, text):
		return filepath.Join(dir, text, fileName), nil
	case text == "" || len(named) == 1:
		return filepath.Join(dir, named[0], fileName), nil
	}
	for _, name := range names { // the newest run of a spec, given by its path or name
		path := filepath.Join(dir, name, fileName)
		run, err := readEnds(path)
		if err == nil && (run.Header.Spec == text || folderName(run.Header.Spec) == folderName(text)) {
			return path, nil
		}
	}
	if len(named) > 1 {
		return "", fmt.Errorf("%d runs begin with %q: %s", len(named), text, strings.Join(named[:min(len(named), 3)], ", "))
	}
	return "", fmt.Errorf("there is no run %q, and none of a spec of that name.%s", text, diag.Near(text, names))
}

// asPath is the log at a path, or empty.
func asPath(text string) string {
	if !strings.ContainsRune(text, filepath.Separator) && !strings.HasSuffix(text, ".jsonl") {
		return ""
	}
	for _, path := range []string{filepath.Join(text, fileName), text} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			return path
		}
	}
	return ""
}
