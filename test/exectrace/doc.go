// Package exectrace tells exactly which programs a test starts, however short they live.
//
// Again runs a test once more in a process of its own, under a seccomp filter that all
// its descendants have too: servers, shells, programs that sudo starts. A process that calls
// execve waits until the tracer has read the arguments from its memory. A call that makes
// the name of a file waits too, and so does the end of a process, when the tracer reads its
// title. The tracer takes no samples, so it sees processes however short they live.
//
// It needs Linux and root, in a container too.
package exectrace
