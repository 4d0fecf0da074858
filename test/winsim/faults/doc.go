// Package faults holds whole runs to what kinit promises of Windows hosts that fail in
// the middle: a run finishes or names the step, never hangs, and never runs a command
// twice that may run only once; the next run brings about the rest. The machines are
// simulated, the connections real.
//
// What the transport makes of a fault is tested beside it, in engine/transport/winrm.
package faults
