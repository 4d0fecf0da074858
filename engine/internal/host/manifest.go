package host

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"

	"kinit/engine/module"
)

// instanceFile is the file among an owner's marks that names their instance.
const instanceFile = "instance.json"

// largestMark is the most, in bytes, that is read of one mark.
const largestMark = 16 << 20

// folder returns the folder of the owner's marks.
func (b *bound) folder() string {
	return path.Join(b.settings.Manifests, b.escape(b.owner), "owned")
}

// list returns the paths in a folder, without hidden files, which are unfinished, and
// without the instance file. A missing folder counts as empty.
func (b *bound) list(ctx context.Context, folder string) ([]string, error) {
	infos, err := b.files.List(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, info := range infos {
		if info.Name[0] != '.' && info.Name != instanceFile {
			names = append(names, path.Join(folder, info.Name))
		}
	}
	return names, err
}

// mkdir makes a folder of the manifests and those above it, all with private modes.
func (b *bound) mkdir(ctx context.Context, folder string) error {
	if _, err := b.files.Stat(ctx, folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if folder != b.settings.Manifests {
		if err := b.mkdir(ctx, path.Dir(folder)); err != nil {
			return err
		}
	}
	return b.files.Mkdir(ctx, folder, module.Attr{Mode: 0o700})
}

// text reads a small file of the manifest.
func (b *bound) text(ctx context.Context, name string) ([]byte, error) {
	file, err := b.files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, largestMark))
}
