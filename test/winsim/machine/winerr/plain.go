package winerr

import (
	"errors"
	"io/fs"
)

// Plain is an error of a file as Go's own packages have it, where there is such a kind.
func Plain(op, path string, err error) error {
	kind := err
	switch {
	case err == nil:
		return nil
	case errors.Is(err, FileNotFound), errors.Is(err, PathNotFound):
		kind = fs.ErrNotExist
	case errors.Is(err, FileExists), errors.Is(err, AlreadyExists):
		kind = fs.ErrExist
	case errors.Is(err, AccessDenied):
		kind = fs.ErrPermission
	}
	return &fs.PathError{Op: op, Path: path, Err: kind}
}
