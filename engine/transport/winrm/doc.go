// Package winrm is the transport to Windows machines over WS-Management, which
// Windows calls WinRM: HTTP, SOAP and a handful of operations on remote shells
// ([MS-WSMV] 3.1.4.5.2, "Windows Remote Shells").
//
// How one command travels, from Conn.Exec on:
//
//  1. The pool (pool.go) gives a shell, an object on the machine that commands run
//     in. It makes one by Create when none is idle, at most mostShells, and deletes
//     it after mostCommands commands, long before the machine's quota of 1500
//     operations. One command at a time runs in a shell.
//  2. Command starts powershell.exe with the bootstrap of package powershell. The
//     answer is the command's id. Nothing of the caller's has run yet.
//  3. Send carries the header with the script, and then the input, to the
//     bootstrap's standard input (feed.go).
//  4. At the same time Receive asks for output, again and again, until the machine
//     says Done with the exit code (receive.go). The machine holds a Receive until
//     there is something to say or the operation timeout is over, which is a fault
//     that only means: ask again.
//  5. Signal tells the machine that it may forget the command, and the shell goes
//     back to the pool. When the caller's context ends, Signal ends the process, and
//     Delete the shell with all that runs in it.
//
// Every operation is one POST (client.go) with a deadline, over one of two wires:
// plain.go for Basic and certificate logins, both within TLS whose certificate is
// pinned (trust.go), and ntlm.go, which seals each message and needs no TLS.
//
// # Lost connections
//
// An HTTP request that was not written completely was not seen by the machine, and is sent
// again. If it was written but not answered, it is unknown whether it was handled, so the
// reaction depends on the operation:
//
//   - Create, Command, and Send of what does not complete the header: the bootstrap
//     waits for its script, so nothing of the caller's can have run. The shell is
//     given up and all is begun anew in another one, mostStarts times.
//   - The last Send, which has the mark that ends the input: it is sent again. If it
//     had arrived, the input is closed and takes nothing more, and should the machine
//     refuse it for that reason, the line of the bootstrap tells that it had arrived.
//   - The Send that completes the header while more input follows: the line of the
//     bootstrap is waited for. If it does not come, the command is ended with an
//     error.
//   - Send of other input: sent again it could arrive twice. The command is ended with
//     an error that says that it is unknown how much arrived.
//   - Receive goes on for the same shell and command, for as long as Config.Outage. If
//     the answer was lost on its way, so was the output in it: unless the line of the
//     bootstrap came later, which is the first output of all, Exec returns the exit
//     code together with transport.ErrIncomplete.
//   - Signal and Delete: repeating them is pointless. The machine clears away after
//     two idle hours.
//
// So a Conn never runs a script twice.
//
// Of the library github.com/masterzen/winrm the package uses the messages, and not its
// client: that loses SOAP faults and errors of uploads, asks forever for the output of a
// removed shell, and supports no deadlines.
package winrm
