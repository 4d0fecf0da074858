// Package framing is the protocol with a long-lived shell: the scripts for it and the
// parsing of its outputs. It does not depend on the connection.
//
// A worker is a session that runs a plain /bin/sh, which reads the Bootstrap and
// becomes two processes joined by a pipe:
//
//	session's input ──► reader ──pipe──► runner ──► session's outputs
//
// The runner is a plain sh that reads commands. The reader passes lines on, and acts on
// those that begin with the worker's mark, at any time, even while a command runs: it kills
// a session, or turns into cat when a command wants the session's input as its own. So a
// kill needs no other channel.
//
// A command is a compound that the runner parses completely before it runs any of it. It
// writes a fresh nonce to both outputs, then the number of the process group, runs the line
// in a new session, and writes the nonce and the exit code. Outputs are exact because
// nothing but the command writes between the nonces; the nonces are random and in no
// argument list and no environment, so that no output can contain them. The shell's
// messages about killed children are dropped.
//
// The line's input is empty, or a few bytes printed by the runner, or the session's input.
// In the last case the worker ends with the command, because its input cannot be read
// further.
//
// A worker of a run has the variables KINIT_RUN and KINIT_WORKER, and each of its commands
// KINIT_COMMAND with the number of its session: so a run that takes over finds the
// processes of the earlier run, and distinguishes them from processes that commands have
// left behind. A command with a fence runs only if that link exists; the runner checks it
// without a process, after it has read the command and before it starts it.
//
// Before a command the runner checks whether processes of the previous command remain. They
// still hold the worker's outputs and could write into those of this command, so the worker
// reports busy and ends; another one takes over.
package framing
