// Package program is what native programs of Windows do on the simulated machine, as far
// as scripts of kinit and those who check the simulator from outside call them. What a
// program is asked for and does not know fails its process.
package program

import (
	"context"
	"fmt"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/powershell/unknown"
)

// Programs are the programs by the names of their files.
func Programs() map[string]machine.Program {
	return map[string]machine.Program{
		"svchost": svchost, "sshd": svchost, "taskkill": taskkill, "cmd": cmd, "sc": sc, "shutdown": shutdown, "icacls": icacls, "msiexec": msiexec,
		"curl": curl, "tar": untar, "netsh": netsh, "whoami": whoami, "hostname": hostname, "logoff": logoff, "takeown": takeown,
		"dism": dism, "sysprep": sysprep, "pnputil": pnputil, "installer": installer, "reg": reg, "route": route,
	}
}

// svchost is the process of a service of Windows: it runs until it is stopped.
func svchost(ctx context.Context, p *machine.Process) uint32 {
	if p.Service == nil {
		return 0
	}
	p.Service.Running()
	<-ctx.Done()
	return 0
}

// say writes a line as programs of Windows end them.
func say(p *machine.Process, format string, args ...any) {
	fmt.Fprintf(p.Stdout, format+"\r\n", args...)
}

// unsupported fails a process that was asked for what is not known.
func unsupported(p *machine.Process) uint32 {
	p.Fail(unknown.New("%s with the arguments %q", p.Name(), strings.Join(p.Args, " ")))
	return 1
}

// german reports whether the machine speaks German.
func german(p *machine.Process) bool { return strings.HasPrefix(p.Machine.Language(), "de") }

// either is a text in the machine's language.
func either(p *machine.Process, english, text string) string {
	if german(p) {
		return text
	}
	return english
}

func hostname(_ context.Context, p *machine.Process) uint32 {
	if len(p.Args) > 0 {
		return unsupported(p)
	}
	say(p, "%s", p.Machine.HostName())
	return 0
}

func whoami(_ context.Context, p *machine.Process) uint32 {
	if len(p.Args) > 0 {
		return unsupported(p)
	}
	say(p, "%s", strings.ToLower(p.Machine.Accounts.Name(p.User, p.Machine.ComputerName())))
	return 0
}

// logoff ends the session of its caller: services have no session to end.
func logoff(_ context.Context, p *machine.Process) uint32 {
	p.Machine.Log("%s logs off", p.Machine.Accounts.Name(p.User, p.Machine.ComputerName()))
	return 0
}
