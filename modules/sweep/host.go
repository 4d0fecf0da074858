package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/nft"
	"kinit/modules/internal/packages"
)

// unitFolder is where the administrator's units are; man systemd.unit.
const unitFolder = "/etc/systemd/system"

func unitFile(mark module.Mark) string { return path.Join(unitFolder, mark.ID) }

func run(ctx context.Context, h module.Host, argv ...string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: argv})
	return out.Stdout, err
}

// undoUnit stops a unit before its file goes: without the file systemd would not
// know how.
func undoUnit(ctx context.Context, h module.Host, mark module.Mark) error {
	file := unitFile(mark)
	there, err := hostfile.Exists(ctx, h, file)
	if err != nil {
		return err
	}
	if there {
		if _, err := run(ctx, h, "systemctl", "disable", "--now", "--", mark.ID); err != nil {
			return err
		}
	}
	if err := h.Files().Remove(ctx, file); err != nil {
		return err
	}
	_, err = run(ctx, h, "systemctl", "daemon-reload")
	return err
}

// prior is how a service was before kinit changed it: what the module service
// keeps in its marks.
type prior struct {
	Enabled bool `json:"enabled"`
	Active  bool `json:"active"`
	Masked  bool `json:"masked"`
}

// undoService brings a service back to how it was. One whose package is gone
// needs nothing.
func undoService(ctx context.Context, h module.Host, mark module.Mark) error {
	var was prior
	if err := json.Unmarshal([]byte(mark.Prior), &was); err != nil {
		return fmt.Errorf("the mark does not say how it was: %w", err)
	}
	state, err := run(ctx, h, "systemctl", "show", "--property=LoadState", "--value", "--", mark.ID)
	if err != nil || strings.TrimSpace(state) == "not-found" {
		return err
	}
	for _, verb := range was.verbs() {
		if _, err := run(ctx, h, "systemctl", verb, "--", mark.ID); err != nil {
			return err
		}
	}
	return nil
}

// verbs are the commands of systemctl that bring a service to that state.
func (p prior) verbs() []string {
	if p.Masked {
		return []string{"stop", "mask"}
	}
	verbs := []string{"unmask", "disable", "stop"}
	if p.Enabled {
		verbs[1] = "enable"
	}
	if p.Active {
		verbs[2] = "start"
	}
	return verbs
}

// undoSysctl sets a kernel parameter to what it was. One that the kernel does not
// have any more needs nothing.
func undoSysctl(ctx context.Context, h module.Host, mark module.Mark) error {
	file := "/proc/sys/" + strings.NewReplacer(".", "/", "/", ".").Replace(mark.ID)
	there, err := hostfile.Exists(ctx, h, file)
	if err != nil || !there {
		return err
	}
	// Files below /proc cannot be replaced, which is what Files.Write does.
	_, err = h.Run(ctx, module.Command{Argv: []string{"tee", "--", file}, Stdin: strings.NewReader(mark.Prior + "\n")})
	return err
}

// undoTable deletes a table of nftables.
func undoTable(ctx context.Context, h module.Host, mark module.Mark) error {
	family, name, found := strings.Cut(mark.ID, " ")
	if !found {
		return errors.New("the mark does not name a family and a table")
	}
	exists, err := nft.Exists(ctx, h, family, name)
	if err != nil || !exists {
		return err
	}
	table, err := nft.Run(ctx, h, "", "--stateless", "list", "table", family, name)
	if err != nil {
		return err
	}
	if owner := nft.Owner(table); owner != "" && owner != claim.Signature(h) {
		h.Report(event.Progress{Text: fmt.Sprintf("nft table %s is left alone: %s made it", mark.ID, claim.Who(owner, claim.Signature(h)))})
		return nil
	}
	_, err = nft.Run(ctx, h, "", "delete", "table", family, name)
	return err
}

// undoPackage removes a package with its configuration. What was installed along
// with it stays: others may need it by now.
func undoPackage(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, held, err := look(ctx, h, mark.ID)
	if err != nil || manager == nil {
		return err
	}
	if held {
		if err := manager.Hold(ctx, h, mark.ID, false); err != nil {
			return err
		}
	}
	return manager.Change(ctx, h, packages.Change{Remove: []string{mark.ID}, Purge: true})
}

// undoHold lets a package be upgraded again.
func undoHold(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, held, err := look(ctx, h, mark.ID)
	if err != nil || !held {
		return err
	}
	return manager.Hold(ctx, h, mark.ID, false)
}

// look returns the package manager and whether a package is held, or no manager when
// the package is not installed.
func look(ctx context.Context, h module.Host, name string) (packages.Manager, bool, error) {
	manager, err := packages.Of(ctx, h)
	if err != nil {
		return nil, false, err
	}
	installed, err := manager.Installed(ctx, h, []string{name})
	if err != nil || len(installed) == 0 {
		return nil, false, err
	}
	held, err := manager.Held(ctx, h, []string{name})
	return manager, held[name], err
}
