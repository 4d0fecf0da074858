// Package localfacts is the module "local_facts": what the files and programs of a host's
// folder say of the host.
package localfacts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Task reads what the administrator of a host has left about it in a folder. It changes nothing.
//
// The files are those whose names end in ".fact": JSON, or sections of settings (INI). Programs
// among them are run, also while planning, and print the same. A program must not change the
// host. Each file must belong to root, in a folder that only root can change, and no one else
// may write it.
//
// Errors:
//   - users other than root can change a file
//   - a file is neither JSON nor sections of settings
//   - all files together have more than 8 MiB or 30,000 values
//   - a program fails; the error has its last lines
type Task struct {
	// Folders are the folders, of which the later ones win. A missing one is empty.
	Folders []string `hcl:"folders,optional" default:"/etc/ansible/facts.d,/etc/kinit/facts.d" path:"clean"`
	module.Facts
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "local_facts", Reads: true})
}

type Outputs struct {
	// what each file has in it, by its name without ".fact"; of settings, their texts by section and
	// name
	Values cty.Value `cty:"values"`
}

// suffix is that of the files which count.
const suffix = ".fact"

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	all, left := map[string]cty.Value{}, &budget{values: mostFacts, bytes: module.MostText}
	for _, folder := range t.Folders {
		files, err := h.Files().List(ctx, folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Outputs{}, err
		}
		for _, info := range files {
			name, is := strings.CutSuffix(info.Name, suffix)
			if !is || info.Mode.IsDir() {
				continue
			}
			file := path.Join(folder, info.Name)
			if all[name], err = left.read(ctx, h, file); err != nil {
				return Outputs{}, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return Outputs{Values: cty.ObjectVal(all)}, ctx.Err()
}

func (b *budget) read(ctx context.Context, h module.Host, file string) (cty.Value, error) {
	at, info, err := hostfile.Rooted(ctx, h, file)
	if err != nil {
		return cty.NilVal, err
	}
	if !info.Mode.IsRegular() {
		return cty.NilVal, errors.New("it is no regular file, want one file")
	}
	if info.Mode.Perm()&0o111 != 0 { // a program, which prints them
		out, err := h.Run(ctx, module.Command{Argv: []string{at}})
		if err != nil {
			return cty.NilVal, err
		}
		return b.parse(out.Stdout)
	}
	text, err := module.ReadFile(ctx, h.Files(), at)
	if err != nil {
		return cty.NilVal, err
	}
	return b.parse(string(text))
}
