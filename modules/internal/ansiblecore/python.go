package ansiblecore

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// interpreter returns the Python that ansible-core is installed for: that of the first line
// of the program "ansible", so that one in a virtual environment is found, too. Without the
// program, it is python3, which may have ansible-core as a library.
func (b *Builder) interpreter() (string, error) {
	if program, err := b.find("ansible"); err == nil {
		if python := firstLine(program); strings.Contains(filepath.Base(python), "python") {
			return python, nil
		}
	}
	python, err := b.find("python3")
	if err != nil {
		return "", ErrMissing
	}
	return python, nil
}

func (b *Builder) find(name string) (string, error) {
	if b.programs == "" {
		return exec.LookPath(name)
	}
	for _, folder := range filepath.SplitList(b.programs) {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// firstLine returns the interpreter that a script names after "#!", without arguments.
func firstLine(script string) string {
	file, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer file.Close()
	line, _ := bufio.NewReaderSize(file, 512).ReadSlice('\n')
	after, found := strings.CutPrefix(string(line), "#!")
	fields := strings.Fields(after)
	if !found || len(fields) == 0 {
		return ""
	}
	return fields[0]
}
