package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// leftFolder has one list for each owner: of folders that kinit made, and that clean-up could not remove since other
// files are in them. It is apart from the manifests, so that a list without marks is no owner to other machines and clusters.
const leftFolder = module.StateFolder + "/left"

func leftOf(owner string) string { return path.Join(leftFolder, owner+".json") }

// Left lists the folders that clean-ups of the host's owner left, since other files were in them.
func Left(ctx context.Context, h module.Host) ([]string, error) {
	text, there, err := hostfile.Read(ctx, h, leftOf(h.Owner()))
	if err != nil || !there {
		return nil, err
	}
	var folders []string
	if err := exactjson.Unmarshal([]byte(text), &folders); err != nil {
		return nil, fmt.Errorf("%s is no list of folders that kinit has written; remove it: %w", leftOf(h.Owner()), err)
	}
	return folders, nil
}

// Leave stores the list of Left. An empty one is removed, with the folders above it that are empty then.
func Leave(ctx context.Context, h module.Host, folders []string) error {
	name := leftOf(h.Owner())
	if len(folders) > 0 {
		if err := h.Files().Mkdir(ctx, leftFolder, module.Attr{Mode: 0o700}); err != nil {
			return fmt.Errorf("make folder %s: %w", leftFolder, err)
		}
		text, err := exactjson.Marshal(folders)
		if err != nil {
			return err
		}
		return hostfile.Write(ctx, h, name, string(text)+"\n", module.Attr{Mode: 0o600})
	}
	if err := h.Files().Remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return removeEmpty(ctx, h, leftFolder)
}
