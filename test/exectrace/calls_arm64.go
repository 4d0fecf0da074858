//go:build linux

package exectrace

import "golang.org/x/sys/unix"

const thisProcessor = unix.AUDIT_ARCH_AARCH64

// older are calls that this processor does without.
func older() []call { return nil }
