// Package sshd is an SSH server that behaves like Win32-OpenSSH with PowerShell as
// its default shell, for tests. It knows the protocol; what a line does, and what
// files there are, is the machine's.
//
// A command that a client asks for is run as `powershell.exe -c LINE`: a
// process.Runner gets powershell.exe as the program and the two arguments. That is
// PowerShell, so the exit code is 1 when the line's last native command failed, unless
// the line says `exit $LASTEXITCODE`. As on Windows, the client's environment is
// refused, its signals are ignored, and closing a session's channel ends its process.
//
// SFTP works on an FS, with the paths that Win32-OpenSSH has: /C:/Users, and the
// drives in the root. Tunnels are direct-tcpip only.
//
// Shutdown cuts all connections and ends their processes; until Boot, connections are
// reset. Reboot is both.
package sshd
