// Package winrm is the transport to Windows machines over WS-Management, which
// Windows calls WinRM: HTTP, SOAP and a handful of operations on remote shells
// ([MS-WSMV] 3.1.4.5.2, "Windows Remote Shells").
//
// How one command travels, from Conn.Exec on:
//
//  1. Package shells returns a shell, an object on the machine in which commands run.
//     If no shell is idle, it makes one by Create, at most mostShells of them. It
//     deletes a shell after mostCommands commands, long before the machine's quota of 1500
//     operations. One command at a time runs in a shell.
//  2. Command starts powershell.exe with the bootstrap of package powershell. The
//     answer is the command's id. Nothing of the caller's has run yet.
//  3. Send carries the header with the script, and then the input, to the
//     bootstrap's standard input (feed.go).
//  4. At the same time Receive asks for output, again and again, until the machine
//     answers Done with the exit code (receive.go). The machine answers a Receive when
//     there is output. If there is none before the operation timeout, it answers with a
//     fault, which only means: ask again.
//  5. Signal lets the machine forget the command, and the shell returns to
//     package shells. When the caller's context ends, Signal ends the process, and Delete
//     ends the shell with everything that runs in it.
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
//   - Create, Command, and a Send that does not complete the header: the bootstrap still
//     waits for its script, so nothing of the caller's can have run. Exec leaves this shell
//     and begins again in another one, mostStarts times.
//   - The last Send, which has the mark that ends the input: it is sent again. If the first
//     one had arrived, the input is closed, and the machine may refuse the second one; the
//     line of the bootstrap then shows that the first one had arrived.
//   - The Send that completes the header while more input follows: Exec waits for the line
//     of the bootstrap. If it does not come, the command ends with an error.
//   - Send of other input: a second Send could make the input arrive twice. The command
//     ends with an error that says that it is unknown how much arrived.
//   - Receive is repeated for the same shell and command, for as long as Config.Outage. The
//     output in an answer that was lost on its way is lost too, so Exec returns the exit code
//     together with transport.ErrIncomplete. If the line of the bootstrap, which is the first
//     output of all, comes after the loss, no output was lost.
//   - Signal and Delete are not repeated. The machine removes an idle shell after two hours.
//
// So a Conn never runs a script twice.
//
// The package uses the messages of the library github.com/masterzen/winrm, but not its
// client, which loses SOAP faults and errors of uploads, asks forever for the output of a
// removed shell, and supports no deadlines.
package winrm
