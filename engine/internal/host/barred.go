package host

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/shell"
)

//go:embed barred.sh
var barredScript string

// barredTime is how long it may take to find out why a change was not permitted.
const barredTime = 10 * time.Second

// mostPaths is how many paths of a message are looked at.
const mostPaths = 20

// notPermitted are messages of the system and of programs when a file must not be changed.
var notPermitted = regexp.MustCompile(`(?i)operation not permitted|cannot open /etc/|permission denied`)

// inMessage are the paths in a message: in quotes, or up to a space.
var inMessage = regexp.MustCompile(`'(\.?/[^'\n]*)'|(\.?/[^\s'"]+)`)

// Barred puts the reason before an error of a change that the host has not permitted: an attribute of the file system, which
// binds root too, or permissions. Another error is returned as it is.
func Barred(ctx context.Context, h module.Host, err error) error {
	if err == nil || h.OS() != module.Linux || ctx.Err() != nil || !errors.Is(err, fs.ErrPermission) && !notPermitted.MatchString(err.Error()) {
		return err
	}
	denied := ""
	if errors.Is(err, fs.ErrPermission) {
		denied = "denied"
	}
	paths := pathsOf(err)
	if len(paths) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, barredTime)
	defer cancel()
	out, failed := h.Run(ctx, module.Command{Argv: append([]string{"sh", "-c", barredScript, "barred", denied}, paths...), Name: "look why a change was not permitted"})
	if failed != nil {
		return err
	}
	if reason := barred(out.Stdout); reason != "" {
		return fmt.Errorf("%s: %w", reason, err)
	}
	return err
}

// pathsOf returns the absolute paths in an error. One that is relative to a folder which a program has entered could be below
// each of them.
func pathsOf(err error) []string {
	var paths, relative []string
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		paths = append(paths, at.Path)
	}
	for _, found := range inMessage.FindAllStringSubmatch(err.Error(), -1) {
		name := strings.TrimRight(found[1]+found[2], ":,;.")
		if below, is := strings.CutPrefix(name, "./"); is {
			relative = append(relative, below)
		} else if len(name) > 1 {
			paths = append(paths, name)
		}
	}
	for _, folder := range slices.Clone(paths) {
		paths = append(paths, lists.Map(relative, func(name string) string { return path.Join(folder, name) })...)
	}
	for _, name := range relative {
		paths = append(paths, "/"+name) // dpkg writes them so
	}
	paths = slices.DeleteFunc(paths, func(name string) bool { return !path.IsAbs(name) || strings.ContainsRune(name, 0) })
	paths = unique(paths)
	return paths[:min(len(paths), mostPaths)]
}

func unique(all []string) (once []string) {
	for _, one := range all {
		if !slices.Contains(once, one) {
			once = append(once, one)
		}
	}
	return once
}

// barred reads what the script has found.
func barred(said string) string {
	kind, rest, _ := strings.Cut(strings.TrimSuffix(said, "\n"), " ")
	switch kind {
	case "i":
		return fmt.Sprintf("%s is immutable: %q on the host lets it change again", rest, "chattr -i "+shell.POSIX(rest))
	case "a":
		return fmt.Sprintf("%s may only be appended to: %q on the host lets it change again", rest, "chattr -a "+shell.POSIX(rest))
	case "d":
		whose, at, _ := strings.Cut(rest, "\n")
		user, owner, _ := strings.Cut(whose, " ")
		owner, mode, _ := strings.Cut(owner, " ")
		return fmt.Sprintf("the user %s may not write in %s, which belongs to %s and has mode %s: set become for the task, or change who may", user, at, owner, mode)
	}
	return ""
}
