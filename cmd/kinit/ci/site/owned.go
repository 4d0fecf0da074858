package site

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kinit/cmd/kinit/runfolder"
	"kinit/engine/atomicfile"
	"kinit/engine/lists"
)

// stampFile marks a folder as a site. Its first line is a digest of the inputs of the pages, and
// each further line is the path of a file that kinit wrote. Earlier versions wrote the first line alone; an
// empty file lets kinit write its pages beside the files of somebody else.
const stampFile = ".kinit-site"

// claim returns an error if a folder has files and is not a site: pages would replace them.
// The lock alone is what a program leaves that is killed before it has written the first page.
func claim(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the folder of the site: %w", err)
	}
	names := lists.Map(entries, fs.DirEntry.Name)
	if slices.Contains(names, stampFile) || slices.Equal(names, []string{lockFile}) || len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%s has files, and kinit did not make it as the folder of a site: name a new or an empty folder. "+
		"If kinit may write its pages beside these files, make an empty file %s there", out, stampFile)
}

// mark makes the folder a site before the first page is in it: the next rendering goes on where one was killed.
func mark(out string) error {
	err := atomicfile.New(filepath.Join(out, stampFile), 0o644, atomicfile.Bytes(nil))
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return fmt.Errorf("mark the folder of the site: %w", err)
}

// stamp is the content of the stamp file.
type stamp struct {
	digest string
	files  []string // relative to the site, with "/"
	listed bool     // whether the files are known
}

func readStamp(out string) (stamp, error) {
	text, err := os.ReadFile(filepath.Join(out, stampFile))
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{listed: true}, nil
	}
	if err != nil {
		return stamp{}, fmt.Errorf("read what the site is made of: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return stamp{digest: lines[0], files: lines[1:], listed: len(lines) > 1 || lines[0] == ""}, nil
}

func (s *site) writeStamp(digest string) error {
	lines := append([]string{digest}, slices.Sorted(maps.Keys(s.written))...)
	return s.put(stampFile, []byte(strings.Join(lines, "\n")+"\n"))
}

// removeOld removes the files that an earlier rendering wrote and this one did not, such as the pages
// of removed runs, and folders that become empty by that. It removes nothing else: the folder can
// contain files that are not kinit's.
func (s *site) removeOld(before stamp) error {
	files := before.files
	if !before.listed {
		var err error
		if files, err = s.unlisted(); err != nil {
			return err
		}
	}
	for _, file := range files {
		if s.written[file] || !filepath.IsLocal(filepath.FromSlash(file)) {
			continue
		}
		if err := s.remove(file); err != nil {
			return fmt.Errorf("remove old pages: %w", err)
		}
	}
	return nil
}

// remove removes a file, and the folder of the job or run that it was the last file of.
func (s *site) remove(file string) error {
	err := os.Remove(filepath.Join(s.Out, filepath.FromSlash(file)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if os.Remove(filepath.Join(s.Out, filepath.FromSlash(folder))) != nil {
			return nil // other files are in it
		}
	}
	return nil
}

// surplus matches the further pages of a list.
var surplus = regexp.MustCompile(`^page-[0-9]+\.html$`)

// unlisted finds the old pages of a site whose files are not listed: those with names that only kinit gives.
func (s *site) unlisted() ([]string, error) {
	var found []string
	for _, pattern := range []string{"page-*.html", "jobs/*/page-*.html", "jobs/*/runs/*/*"} {
		pages, err := filepath.Glob(filepath.Join(s.Out, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("look for old pages: %w", err)
		}
		for _, page := range pages {
			file, err := filepath.Rel(s.Out, page)
			if err != nil {
				return nil, fmt.Errorf("look for old pages: %w", err)
			}
			if file = filepath.ToSlash(file); kinits(file) {
				found = append(found, file)
			}
		}
	}
	return found, nil
}

// kinits reports whether a path is that of a surplus page, or of a file in the folder of a run.
func kinits(file string) bool {
	name := path.Base(file)
	if _, isRun := runfolder.StartOf(path.Base(path.Dir(file))); isRun {
		return name == "index.html" || meaning(name) != name
	}
	return surplus.MatchString(name)
}
