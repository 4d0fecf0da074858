package host

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"time"

	"kinit/engine/module"
)

//go:embed full.sh
var fullScript string

// fullTime is how long it may take to find out which file system is full.
const fullTime = 10 * time.Second

// noSpace are messages of the system and of programs when a file system has no space. A shell says only that a write failed.
var noSpace = regexp.MustCompile(`(?i)no space left on device|no inodes are left|disk quota exceeded|i/o error|input/output error|cannot write`)

// Full puts the reason before an error of a write for which a file system of the host had no space: which one, and what to do.
// Another error is returned as it is.
func Full(ctx context.Context, h module.Host, err error) error {
	if err == nil || h.OS() != module.Linux || ctx.Err() != nil {
		return err
	}
	known := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	if !known && !noSpace.MatchString(err.Error()) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fullTime)
	defer cancel()
	// Marks, locks and pending handlers are below the state folder, whatever the message names.
	paths := append(pathsOf(err), module.StateFolder)
	out, failed := h.Run(ctx, module.Command{Argv: append([]string{"sh", "-c", fullScript, "full"}, paths...), Name: "look which file system is full"})
	reason := ""
	if failed == nil {
		reason = full(h.Name(), out.Stdout)
	}
	switch {
	case reason != "":
		return fmt.Errorf("%s: %w", reason, err)
	case known:
		return fmt.Errorf("no space left on %s: free some there, and run kinit again: %w", h.Name(), err)
	}
	return err
}

// full reads what the script has found.
func full(host, said string) string {
	first, name, found := strings.Cut(strings.TrimSuffix(said, "\n"), "\n")
	what, mount, _ := strings.Cut(first, " ")
	if !found {
		return ""
	}
	if what == "inodes" {
		return fmt.Sprintf("no inodes left on %s: the file system at %s, which has %s, can hold no further file; remove files there that nothing needs, and run kinit again", host, mount, name)
	}
	return fmt.Sprintf("no space left on %s: the file system at %s, which has %s, is full; free some there, and run kinit again", host, mount, name)
}
