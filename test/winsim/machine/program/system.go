package program

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
)

// shutdown is shutdown.exe: /r or /s with /t and /f, and /a.
func shutdown(_ context.Context, p *machine.Process) uint32 {
	restart, stop, abort := false, false, false
	delay := 30 * time.Second
	for i := 0; i < len(p.Args); i++ {
		switch word := strings.ToLower(strings.Replace(p.Args[i], "-", "/", 1)); word {
		case "/r":
			restart = true
		case "/s":
			stop = true
		case "/a":
			abort = true
		case "/f":
		case "/t", "/c", "/d":
			if i++; i == len(p.Args) {
				return unsupported(p)
			}
			seconds, err := strconv.Atoi(p.Args[i])
			if word == "/t" && err != nil {
				return unsupported(p)
			}
			if word == "/t" {
				delay = time.Duration(seconds) * time.Second
			}
		default:
			return unsupported(p)
		}
	}
	var err error
	switch {
	case abort:
		err = p.Machine.AbortShutdown()
	case restart != stop:
		err = p.Machine.Shutdown(delay, restart)
	default:
		return unsupported(p)
	}
	if code, ok := errors.AsType[*winerr.Error](err); ok {
		fmt.Fprintf(p.Stderr, "%s(%d)\r\n", p.Machine.Text(code.Code), code.Code)
		return uint32(code.Code)
	}
	return 0
}

// icaclsRights are the letters of icacls.exe.
func icaclsRights() map[string]uint32 {
	return map[string]uint32{"F": ntfs.FullControl, "M": ntfs.Modify, "RX": ntfs.ReadAndExecute, "R": ntfs.Read, "W": ntfs.Write}
}

// icacls is icacls.exe with one file: /inheritance, /grant, /remove, /setowner, /Q.
func icacls(_ context.Context, p *machine.Process) uint32 {
	if len(p.Args) < 2 {
		return unsupported(p)
	}
	if strings.Contains(p.Args[0], "/") {
		fmt.Fprintf(p.Stderr, "Invalid parameter \"%s\"\r\n", p.Args[0])
		return 87
	}
	path := ntfs.Join(p.Dir, p.Args[0])
	s, err := p.Machine.Files.Security(path)
	if err != nil {
		return icaclsResult(p, path, err)
	}
	for i := 1; i < len(p.Args); i++ {
		word := strings.ToLower(p.Args[i])
		switch {
		case word == "/q" || word == "/l" || word == "/c" || word == "/t":
		case strings.HasPrefix(word, "/inheritance:"):
			inherit(&s, word[len("/inheritance:"):])
		case word == "/setowner" && i+1 < len(p.Args):
			i++
			s.Owner = sidOf(p, p.Args[i])
			if s.Owner == "" {
				return icaclsResult(p, path, winerr.Of(1332, "look up", p.Args[i]))
			}
		case word == "/grant" || word == "/grant:r" || word == "/remove":
			for i+1 < len(p.Args) && !strings.HasPrefix(p.Args[i+1], "/") {
				i++
				if code, ok := grant(p, &s, word, p.Args[i]); !ok {
					return code
				}
			}
		default:
			return unsupported(p)
		}
	}
	return icaclsResult(p, path, p.Machine.Files.SetSecurity(path, s))
}

// inherit changes what a file inherits: r drops it, d makes it the file's own, e brings
// it back.
func inherit(s *ntfs.Security, how string) {
	s.Protected = how != "e"
	for i := range s.Entries {
		if how == "d" {
			s.Entries[i].Inherited = false
		}
	}
}

func sidOf(p *machine.Process, name string) string {
	return p.Machine.Accounts.SID(strings.TrimPrefix(name, "*"))
}

// grant carries out one permission such as *S-1-5-18:(OI)(CI)F.
func grant(p *machine.Process, s *ntfs.Security, verb, text string) (uint32, bool) {
	who, rest, _ := strings.Cut(text, ":")
	sid := sidOf(p, who)
	if sid == "" {
		return icaclsResult(p, who, winerr.Of(1332, "look up", who)), false
	}
	if verb != "/grant" {
		var kept []ntfs.Entry
		for _, e := range s.Entries {
			if e.SID != sid || e.Inherited {
				kept = append(kept, e)
			}
		}
		s.Entries = kept
	}
	if verb == "/remove" {
		return 0, true
	}
	e := ntfs.Entry{SID: sid, Files: strings.Contains(rest, "(OI)"), Folders: strings.Contains(rest, "(CI)")}
	letters := strings.NewReplacer("(OI)", "", "(CI)", "", "(", "", ")", "").Replace(rest)
	for letter := range strings.SplitSeq(letters, ",") {
		rights, known := icaclsRights()[letter]
		if !known {
			return unsupported(p), false
		}
		e.Rights |= rights
	}
	s.Entries = append([]ntfs.Entry{e}, s.Entries...)
	return 0, true
}

func icaclsResult(p *machine.Process, path string, err error) uint32 {
	if code, ok := errors.AsType[*winerr.Error](err); ok {
		fmt.Fprintf(p.Stderr, "%s: %s\r\n", path, p.Machine.Text(code.Code))
		return uint32(code.Code)
	}
	if err != nil {
		p.Fail(err)
		return 1
	}
	say(p, "%s", either(p, "Successfully processed 1 files; Failed processing 0 files", "1 Dateien erfolgreich verarbeitet, bei 0 Dateien ist ein Verarbeitungsfehler aufgetreten."))
	return 0
}

// takeown is takeown.exe /F file.
func takeown(_ context.Context, p *machine.Process) uint32 {
	path := ""
	for i := 0; i < len(p.Args); i++ {
		switch strings.ToLower(p.Args[i]) {
		case "/f":
			if i++; i < len(p.Args) {
				path = ntfs.Join(p.Dir, p.Args[i])
			}
		case "/a":
		default:
			return unsupported(p)
		}
	}
	s, err := p.Machine.Files.Security(path)
	if err == nil {
		s.Owner = account.AdministratorsSID
		err = p.Machine.Files.SetSecurity(path, s)
	}
	return icaclsResult(p, path, err)
}

// netsh knows the ranges of ports and the size of packets.
func netsh(_ context.Context, p *machine.Process) uint32 {
	line := strings.ToLower(strings.Join(p.Args, " "))
	switch {
	case strings.HasPrefix(line, "int ipv4 set dynamicportrange "), strings.HasPrefix(line, "interface ipv4 set dynamicportrange "):
		err := p.Machine.Registry.Set(`HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters\DynamicPortRange`, registry.Text("tcp", strings.Join(p.Args[4:], " ")))
		if err != nil {
			p.Fail(err)
			return 1
		}
		say(p, "%s\r\n", either(p, "Ok.", "OK."))
		return 0
	case strings.HasPrefix(line, "interface ipv4 set subinterface "):
		return setMTU(p)
	default:
		return unsupported(p)
	}
}

func setMTU(p *machine.Process) uint32 {
	name, mtu := "", 0
	for _, word := range p.Args[4:] {
		option, value, ok := strings.Cut(word, "=")
		switch {
		case !ok:
			name = word
		case option == "mtu":
			mtu, _ = strconv.Atoi(value)
		case option != "store":
			return unsupported(p)
		}
	}
	if err := p.Machine.Network.ChangeAdapter(name, func(a *network.Adapter) { a.MTU = mtu }); err != nil || mtu == 0 {
		say(p, "%s\r\n", p.Machine.Text(winerr.InvalidName))
		return 1
	}
	say(p, "%s\r\n", either(p, "Ok.", "OK."))
	return 0
}

// dism knows the clean-up of components, which changes nothing here.
func dism(_ context.Context, p *machine.Process) uint32 {
	line := strings.ToLower(strings.Join(p.Args, " "))
	if !strings.HasPrefix(line, "/online /cleanup-image") {
		return unsupported(p)
	}
	say(p, "%s", either(p, "The operation completed successfully.", "Der Vorgang wurde erfolgreich beendet."))
	return 0
}

// pnputil adds drivers to the store; no device here needs one.
func pnputil(_ context.Context, p *machine.Process) uint32 {
	if len(p.Args) < 2 || !strings.EqualFold(p.Args[0], "/add-driver") {
		return unsupported(p)
	}
	say(p, "%s", either(p, "Driver package added successfully.", "Das Treiberpaket wurde erfolgreich hinzugefügt."))
	return 0
}

// imageState is where Setup says how far an image is.
const imageState = `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Setup\State`

// sysprep seals the system, and shuts it down where that is asked for.
func sysprep(_ context.Context, p *machine.Process) uint32 {
	generalize, off := false, false
	for _, word := range p.Args {
		switch word = strings.ToLower(word); {
		case word == "/generalize":
			generalize = true
		case word == "/shutdown":
			off = true
		case word == "/oobe", word == "/mode:vm", word == "/quiet", word == "/quit":
		case strings.HasPrefix(word, "/unattend:"):
			// The answers are kept where the next start looks for them.
			text, err := p.Machine.Files.ReadFile(ntfs.Join(p.Dir, word[len("/unattend:"):]))
			if err != nil {
				return 1
			}
			if err := p.Machine.Files.WriteFile(`C:\Windows\Panther\unattend.xml`, text); err != nil {
				return 1
			}
		default:
			return unsupported(p)
		}
	}
	if !generalize {
		return unsupported(p)
	}
	if err := p.Machine.Registry.Set(imageState, registry.Text("ImageState", "IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE")); err != nil {
		p.Fail(err)
		return 1
	}
	if off {
		if err := p.Machine.Shutdown(0, false); err != nil {
			p.Fail(err)
			return 1
		}
	}
	return 0
}
