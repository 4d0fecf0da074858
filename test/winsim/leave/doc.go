// Package leave has machines with a simulated Windows join a cluster and leave it, with the
// scripts of the driver host, and compares what they are with what they were.
package leave
