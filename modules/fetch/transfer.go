package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"kinit/engine/atomicfile"
	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
)

// hashHere is the size up to which a file is read over the connection to compare it.
const hashHere = 1 << 20

// same reports whether the copy has the content of the file at.
func (t *Task) same(ctx context.Context, h module.Host, at string, info module.FileInfo, dest string, here fs.FileInfo, there bool) (bool, error) {
	if !there || !here.Mode().IsRegular() || here.Size() != info.Size {
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
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// sumHere returns the checksum and the size of a file of this machine.
func sumHere(ctx context.Context, path string) (string, int64, error) {
	file, err := open(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, &reader{ctx: ctx, Reader: file})
	return hex.EncodeToString(sum.Sum(nil)), size, err
}

// open opens the copy. Whoever owns its folder can have put a link or a pipe there: a link is not
// followed, and a pipe is not waited for.
func open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is no regular file any more", path)
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no regular file any more", path), err, file.Close())
	}
	return file, nil
}

func setMode(path string, mode fs.FileMode) error {
	file, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Chmod(mode), file.Close())
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
	if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
		return fmt.Errorf("dest: %w", err)
	}
	err = atomicfile.Write(dest, mode, func(to *os.File) error {
		r := reader{ctx: ctx, Reader: from, report: func(done int64) {
			h.Report(event.Progress{Text: "fetch " + t.Source, Done: done, Total: info.Size})
		}}
		// A file that grows all the time would never end.
		n, err := io.Copy(to, io.LimitReader(&r, info.Size+1))
		if err == nil && n != info.Size {
			err = fmt.Errorf("%s changed while it was copied, it had %d bytes: fetch it when nothing writes to it", t.Source, info.Size)
		}
		if err != nil {
			return err
		}
		return to.Sync()
	})
	if err != nil {
		return fmt.Errorf("fetch %s: %w", t.Source, err)
	}
	return nil
}

// reportBytes is the number of bytes between two reports of progress.
const reportBytes = 1 << 20

// reader is a reader that ends with its context, and reports its progress.
type reader struct {
	io.Reader
	ctx          context.Context
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
	return n, err
}
