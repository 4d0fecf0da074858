// Package wsman is a WS-Management server that behaves like the WinRM service of
// Windows Server, for tests. It is written from MS-WSMV, MS-NLMP and DSP0226.
//
// A Server is made of Options and serves HTTP and HTTPS listeners, which share its
// shells as they do on Windows:
//
//	server := wsman.New(wsman.Options{
//		Runner:      machine, // runs the commands
//		Login:       machine, // knows users and passwords
//		Certificate: &certificate,
//		Settings:    wsman.Settings{Basic: true},
//		Failed:      func(err error) { t.Error(err) },
//	})
//	go server.ServeTLS(listener)
//	defer server.Close()
//
// Settings are those of winrm/config and begin as on a fresh Windows: Negotiate
// (NTLM) is on, Basic and certificates are off, and messages that are not encrypted
// are refused on HTTP. Configure changes them while the server runs.
//
// What a command does is not known here: a process.Runner gets its line, streams,
// environment and directory. Lines are cmd.exe's, whatever WINRS_SKIP_CMD_SHELL
// says, as on Windows since 2012 R2.
//
// Tests make things go wrong with Plan, one Rule for each thing: a connection that
// is cut before or after a request was handled, a fault, an HTTP status, a wait, half
// an answer. They look at what happened with Requests, Started and Shells. Shutdown
// cuts all connections and forgets all shells; until Boot, connections are reset.
// Reboot is both.
//
// Where the documents leave a choice and no recording of a real server was at hand,
// these are decisions: NTLM without encryption on HTTP is answered with status 500
// and no body while AllowUnencrypted is false; a second Receive of a command that is
// being received is a w:Concurrency fault; once the end of a command was received,
// it is unknown to Receive but not to Signal; input for a process that has ended is
// the fault of a closed pipe (232), and a process too many the one of a job's quota
// (1816). A request that is too large gets status 413 and no body; 0x80338111 is
// what Windows' own client makes of that.
//
// It was never compared with a real Windows. What vouches for it are the vectors of
// MS-NLMP, the form of answers that others have recorded, and two clients that were
// written for Windows and drive it unchanged in its tests: pywinrm and Ansible.
//
// It does not speak SPNEGO around NTLM, Kerberos or CredSSP, and has no resources
// but the text-based shell.
package wsman
