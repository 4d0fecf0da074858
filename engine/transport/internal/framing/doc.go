// Package framing is how a long-lived shell is spoken to: the scripts it is sent
// and how its outputs are taken apart. It knows nothing of the connection.
//
// A worker is a session that runs a plain /bin/sh, which reads the Bootstrap and
// becomes two processes joined by a pipe:
//
//	session's input ──► reader ──pipe──► runner ──► session's outputs
//
// The runner is a plain sh that reads commands. The reader passes lines on, and
// acts on those that begin with the worker's mark, at any time, even while a
// command runs: it kills a session, or turns into cat when a command wants the
// session's input as its own. That is why a kill needs no further channel.
//
// A command is a compound that the runner parses whole before it runs any of it.
// It writes a fresh nonce to both outputs, then the number of the process group,
// runs the line in a session of its own, and writes the nonce and the exit code.
// Outputs are exact because nothing but the command writes between the nonces;
// the nonces are random and in no argument list and no environment, so that no
// output can contain them. The shell's own words about killed children go
// nowhere.
//
// The line's input is nothing, or a few bytes printed by the runner, or the
// session's own. With the last the worker ends with the command, because its
// input cannot be read further.
//
// A worker of a run has the variables KINIT_RUN and KINIT_WORKER, and each of its commands KINIT_COMMAND
// with the number of its session: so whoever takes the run's place finds what it has at
// work, and tells it from what commands have left behind. A command with a fence is run
// only if that link is there; the runner looks itself, without a process, after it has
// read the command and before it starts it.
//
// Before a command the runner looks whether processes of the command before are
// left. They still hold the worker's outputs and could write into those of this
// command, so the worker says busy and ends; another one takes over.
package framing
