// Package exectrace tells exactly which programs a test starts, however short they live.
//
// Again runs a test once more in a process of its own, under a seccomp filter that all
// its descendants have too: servers, shells, what sudo starts. Whoever of them calls
// execve stands still until the tracer has read the arguments out of its memory. The
// same holds for calls that make names of files, and for the end of a process, when its
// title is read. So nothing is sampled, and nothing can be too short to be seen.
//
// It needs Linux and root, in a container too.
package exectrace
