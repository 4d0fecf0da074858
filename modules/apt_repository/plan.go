package aptrepository

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/packages"
	"kinit/modules/internal/repository"
)

// text is the content of the file; man 5 sources.list, DEB822-STYLE FORMAT.
func (t *Task) text() string {
	var b strings.Builder
	b.WriteString("# Made by kinit.\n")
	for _, field := range []struct {
		name   string
		values []string
	}{
		{"Types", t.Types}, {"URIs", t.URIs}, {"Suites", t.Suites}, {"Components", t.Components},
		{"Architectures", t.Architectures}, {"Signed-By", []string{t.keyPath()}},
	} {
		if len(field.values) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", field.name, strings.Join(field.values, " "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Options)) {
		fmt.Fprintf(&b, "%s: %s\n", name, t.Options[name])
	}
	return b.String()
}

// repository returns the keyring, if it is the task's, and the file.
func (t *Task) repository() repository.Repository {
	r := repository.Repository{Name: t.Name, Refresh: t.refresh}
	if t.SignedBy == "" {
		r.Files = append(r.Files, repository.Key(t.keyPath(), t.Key))
	}
	r.Files = append(r.Files, repository.File(t.path(), t.text()))
	return r
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return t.repository().PlanAbsent(ctx, h)
	}
	one, err := t.resolved(ctx, h)
	if err != nil {
		return nil, err
	}
	return one.repository().Plan(ctx, h)
}

// refresh reads the lists of this repository only. By itself, apt only warns about lists
// that it could not read.
func (t *Task) refresh(ctx context.Context, h module.Host) error {
	return packages.Run(ctx, h, map[string]string{"DEBIAN_FRONTEND": "noninteractive"},
		"apt-get", "-q", "-o", "DPkg::Lock::Timeout="+packages.LockSeconds,
		"-o", "Dir::Etc::SourceList="+t.path(), "-o", "Dir::Etc::SourceParts=-", "-o", "APT::Get::List-Cleanup=0",
		"-o", "APT::Update::Error-Mode=any", "update")
}
