package tree

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// changeScript runs commands of three words each below a folder. It goes from folder
// to folder and checks each time where it is, so that no link leads it out of
// the tree, even if somebody changes the tree meanwhile.
//
//go:embed change.sh
var changeScript string

// wordsAtOnce is how many words one process of the script gets.
const wordsAtOnce = "600"

// Change is one change of a tree.
type Change struct{ do, path, with string }

// Place moves a file or link to a path; from is its path below the other folder.
func Place(name, from string) Change { return Change{"place", name, from} }

// Folder makes a folder, unless there is one.
func Folder(name string) Change { return Change{"folder", name, ""} }

// Attributes gives a folder its owner, group and mode.
func Attributes(name string, e Entry) Change {
	return Change{"attributes", name, e.UID + ":" + e.GID + " " + e.Mode}
}

// Apply makes changes below a folder, in their order. from is the source folder of files,
// which no other user can change.
func Apply(ctx context.Context, h module.Host, folder, from string, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	at, err := h.Files().Folder(ctx, path.Join(folder, "x"))
	if err != nil {
		return err
	}
	var words strings.Builder
	for _, c := range changes {
		if !filepath.IsLocal(c.path) || path.Clean(c.path) != c.path || c.path == "." {
			return fmt.Errorf("%s is no path below %s", c.path, folder)
		}
		words.WriteString(c.do + "\x00" + c.path + "\x00" + c.with + "\x00")
	}
	_, err = h.Run(ctx, module.Command{
		Argv:  []string{"xargs", "--null", "--max-args=" + wordsAtOnce, "sh", "-c", changeScript, "sh", at.Path, from},
		Stdin: strings.NewReader(words.String()),
	})
	return err
}

// Remove removes files and links, and then empty folders, the deepest
// first. Paths at or below a mount remain.
func Remove(ctx context.Context, h module.Host, folder string, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	mounts, err := mountsBelow(ctx, h, folder)
	if err != nil {
		return err
	}
	var files, folders []Change
	for _, e := range entries {
		switch {
		case onMount(mounts, path.Join(folder, e.Path)):
		case e.Type == "d":
			folders = append(folders, Change{"rmdir", e.Path, ""})
		default:
			files = append(files, Change{"remove", e.Path, ""})
		}
	}
	slices.SortFunc(folders, func(a, b Change) int { return strings.Compare(b.path, a.path) })
	return Apply(ctx, h, folder, "", append(files, folders...))
}

// onMount reports whether a path is a mount point, or below one.
func onMount(mounts []string, name string) bool {
	return slices.ContainsFunc(mounts, func(mount string) bool { return name == mount || strings.HasPrefix(name, mount+"/") })
}

var mountUnescapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func mountsBelow(ctx context.Context, h module.Host, folder string) ([]string, error) {
	at, err := h.Files().Folder(ctx, path.Join(folder, "x"))
	if err != nil {
		return nil, err
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"cat", "/proc/self/mountinfo"}})
	if err != nil {
		return nil, err
	}
	var mounts []string
	for line := range strings.Lines(out.Stdout) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		point := mountUnescapes.Replace(fields[4])
		if below, found := strings.CutPrefix(point, at.Path+"/"); found {
			mounts = append(mounts, path.Join(folder, below))
		}
	}
	return mounts, nil
}

// Shared reports whether a user other than root and the owner of the tree's folder can
// change a folder in it.
func Shared(entries []Entry, owner uint32) bool {
	return slices.ContainsFunc(entries, func(e Entry) bool {
		mode, err := strconv.ParseUint(e.Mode, 8, 32)
		return e.Type == "d" && (e.UID != "0" && e.UID != strconv.FormatUint(uint64(owner), 10) || err != nil || mode&0o022 != 0)
	})
}
