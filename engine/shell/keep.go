package shell

import _ "embed"

// Keep defines the POSIX shell function "keep OLD NEW MODE" for scripts that replace a file. It gives
// the file NEW the access control list, extended attributes, SELinux context, capabilities and mode of the
// file OLD, and then MODE, in octal, if that is not empty. If these cannot be set, it prints the reason and exits with 1.
// Without a regular file OLD it does nothing.
//
//go:embed keep.sh
var Keep string
