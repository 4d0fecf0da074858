package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// defaultInventory is read from the working directory if it exists there.
const defaultInventory = "inventory.hcl"

// InventoriesFolder is the folder of default inventories in kinit's config folder.
const InventoriesFolder = "inventories"

// InventoryFiles returns the inventories of a run: the requested ones, or else the
// default and those in kinit's config folder, where labs are. The latter are also
// returned as reserved: they were not asked for, so commands that change hosts work on
// their hosts only if the command line names them.
func (a *App) InventoryFiles(asked []string) (files, reserved []string, err error) {
	if len(asked) > 0 {
		return asked, nil, nil
	}
	if files := Trimmed(filepath.SplitList(a.Env("KINIT_INVENTORY"))); len(files) > 0 {
		return files, nil, nil
	}
	own, err := a.configInventories()
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(a.Cwd, defaultInventory)
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		if err := a.Trust().Found(file); err != nil {
			return nil, nil, fmt.Errorf("the inventory of the working directory is %w; or name an inventory by -i", err)
		}
		return append([]string{defaultInventory}, own...), own, nil
	}
	return own, own, nil
}

// configInventories returns the inventories in the config folder, by name.
func (a *App) configInventories() ([]string, error) {
	folder := filepath.Join(a.ConfigFolder(), InventoriesFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list inventories: %w", err)
	}
	var files []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".hcl") && !entry.IsDir() {
			file := filepath.Join(folder, entry.Name())
			if err := a.Trust().Found(file); err != nil {
				return nil, fmt.Errorf("an inventory of kinit's own folder is %w", err)
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// Trimmed removes spaces around texts, and empty texts.
func Trimmed(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}
