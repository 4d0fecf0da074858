package fetch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/transport/local"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
)

// hashHere is the size up to which a file is read over the connection to compare it.
const hashHere = 1 << 20

// same reports whether the copy has the content of the file at.
func same(ctx context.Context, h module.Host, at string, info module.FileInfo, dest string, here module.FileInfo, there bool) (bool, error) {
	if !there || !here.Mode.IsRegular() || here.Size != info.Size {
		return false, ctx.Err()
	}
	want, err := sumThere(ctx, h, at, info.Size)
	if err != nil {
		return false, err
	}
	have, _, err := sumHere(ctx, dest)
	return have == want, err
}

func sumThere(ctx context.Context, h module.Host, path string, size int64) (string, error) {
	if size > hashHere {
		return content.Sum(ctx, h, "sha256", path)
	}
	text, err := content.ReadAll(ctx, h, path)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// sumHere returns the checksum and the size of a file of this machine.
func sumHere(ctx context.Context, path string) (sum string, size int64, err error) {
	err = onThisMachine(ctx, func(files module.Files) error {
		if err := regular(ctx, files, path); err != nil {
			return err
		}
		file, err := files.Open(ctx, path)
		if err != nil {
			return err
		}
		defer file.Close()
		hash := sha256.New()
		size, err = io.Copy(hash, &reader{ctx: ctx, Reader: file})
		sum = fmt.Sprintf("%x", hash.Sum(nil))
		return err
	})
	return sum, size, err
}

// regular returns an error if the path is no regular file.
func regular(ctx context.Context, files module.Files, path string) error {
	info, err := files.Stat(ctx, path)
	if err == nil && !info.Mode.IsRegular() {
		err = fmt.Errorf("%s is no regular file any more", path)
	}
	return err
}

// setMode changes the mode of a copy that is still a regular file.
func setMode(ctx context.Context, path string, mode fs.FileMode) error {
	return onThisMachine(ctx, func(files module.Files) error {
		if err := regular(ctx, files, path); err != nil {
			return err
		}
		return files.SetAttr(ctx, path, module.Attr{Mode: mode})
	})
}

// onThisMachine gives access to the files of the machine that kinit runs on, in the way in which a task gets at those of a
// host: other users who can change a folder of a path lead it nowhere else.
func onThisMachine(ctx context.Context, do func(module.Files) error) error {
	conn := local.New()
	files, err := conn.Files(ctx)
	if err == nil {
		err = do(files)
	}
	return errors.Join(err, conn.Close())
}

// fetch copies the file, in one piece.
func (t *Task) fetch(ctx context.Context, h module.Host) error {
	at, info, err := t.source(ctx, h)
	if err != nil || at == "" {
		return err
	}
	dest, err := t.dest()
	if err != nil {
		return err
	}
	mode, err := fileattr.ParseMode(t.Mode)
	if err != nil {
		return err
	}
	from, err := h.Files().Open(ctx, at)
	if err != nil {
		return err
	}
	defer from.Close()
	// A file that grows all the time would never end.
	r := reader{ctx: ctx, Reader: io.LimitReader(from, info.Size+1), size: info.Size, name: t.Source, report: func(done int64) {
		h.Report(event.Progress{Text: "fetch " + t.Source, Done: done, Total: info.Size})
	}}
	err = onThisMachine(ctx, func(files module.Files) error {
		if err := files.Mkdir(ctx, filepath.Dir(dest), module.Attr{}); err != nil {
			return fmt.Errorf("dest: %w", err)
		}
		return files.Write(ctx, dest, &r, module.Attr{Mode: mode})
	})
	if err != nil {
		return fmt.Errorf("fetch %s: %w", t.Source, err)
	}
	return nil
}

// reportBytes is the number of bytes between two reports of progress.
const reportBytes = 1 << 20

// reader is a reader that ends with its context, and reports its progress. With a report, another number of bytes than size
// is an error.
type reader struct {
	io.Reader
	ctx          context.Context
	name         string
	size         int64
	report       func(done int64)
	done, before int64
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(p)
	r.done += int64(n)
	if r.report != nil && r.done-r.before >= reportBytes {
		r.before = r.done
		r.report(r.done)
	}
	if r.report != nil && (r.done > r.size || err == io.EOF && r.done != r.size) {
		return n, fmt.Errorf("%s changed while it was copied, it had %d bytes: fetch it when nothing writes to it", r.name, r.size)
	}
	return n, err
}
