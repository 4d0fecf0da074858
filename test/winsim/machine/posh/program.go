package posh

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/clr"
	"kinit/test/winsim/machine/cmdlet/accounts"
	"kinit/test/winsim/machine/cmdlet/cim"
	"kinit/test/winsim/machine/cmdlet/defender"
	"kinit/test/winsim/machine/cmdlet/items"
	"kinit/test/winsim/machine/cmdlet/netsecurity"
	"kinit/test/winsim/machine/cmdlet/nettcpip"
	"kinit/test/winsim/machine/cmdlet/power"
	"kinit/test/winsim/machine/cmdlet/servermanager"
	"kinit/test/winsim/machine/cmdlet/services"
	"kinit/test/winsim/machine/cmdlet/tasks"
	"kinit/test/winsim/machine/cmdlet/utility"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/powershell/core"
	"kinit/test/winsim/powershell/dotnet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// badUsage is the exit code of powershell.exe for a command line that it refuses:
// 0xFFFD0000.
const badUsage = 0xfffd0000

// Program is powershell.exe.
func Program(ctx context.Context, p *machine.Process) uint32 {
	job, err := parse(p)
	if refused, ok := errors.AsType[*refusal](err); ok {
		fmt.Fprint(p.Stderr, refused.text+"\r\n")
		return badUsage
	}
	if err != nil {
		p.Fail(err)
		return 1
	}
	open := &handles{}
	defer open.close()
	code, err := interpreter(p, open).Run(ctx, job)
	if err != nil && ctx.Err() == nil {
		p.Fail(err)
		fmt.Fprintf(p.Stderr, "simulator: %v\r\n", err)
		return 1
	}
	return code
}

// interpreter is an interpreter for one process.
func interpreter(p *machine.Process, open *handles) *interp.Interpreter {
	i := interp.New(host{p, open})
	i.RegisterType(clr.Types(p, dotnet.Types())...)
	m := p.Machine
	for _, cmdlets := range [][]interp.Cmdlet{
		core.Cmdlets(), items.Cmdlets(p), utility.Cmdlets(p), power.Cmdlets(p), accounts.Cmdlets(m), services.Cmdlets(m),
		servermanager.Cmdlets(m), netsecurity.Cmdlets(m), tasks.Cmdlets(m), nettcpip.Cmdlets(m), cim.Cmdlets(m), defender.Cmdlets(m),
	} {
		i.Register(cmdlets...)
	}
	release := fmt.Sprintf("%d.%d", m.Release().Build, m.Release().Revision)
	i.Preset("PSVersionTable", table(map[string]any{
		"PSVersion": value.Version("5.1." + release), "PSEdition": "Desktop", "BuildVersion": value.Version("10.0." + release),
		"CLRVersion": value.Version("4.0.30319.42000"),
	}))
	i.Preset("PSHOME", machine.SystemFolder+`\WindowsPowerShell\v1.0`)
	i.Preset("HOME", m.Home(p.User))
	i.Preset("PSCulture", m.Language())
	i.Preset("PSUICulture", m.Language())
	return i
}

func table(values map[string]any) *value.Hashtable {
	h := value.NewHashtable()
	for name, v := range values {
		h.Set(name, v)
	}
	return h
}

// refusal is a command line that powershell.exe refuses.
type refusal struct{ text string }

// Error is what it says.
func (r *refusal) Error() string { return r.text }

// parameters are the parameters of powershell.exe that are known, with whether they
// take a value, and their short forms.
func parameters() map[string]struct {
	value bool
	short []string
} {
	type parameter = struct {
		value bool
		short []string
	}
	return map[string]parameter{
		"nologo": {false, []string{"nol"}}, "noprofile": {false, []string{"nop"}}, "noninteractive": {false, []string{"noni"}},
		"executionpolicy": {true, []string{"ex", "ep"}}, "encodedcommand": {true, []string{"e", "ec", "enc"}}, "command": {true, []string{"c"}},
		"file": {true, []string{"f"}}, "inputformat": {true, []string{"inp", "if"}}, "outputformat": {true, []string{"o", "of"}},
		"windowstyle": {true, []string{"w"}}, "sta": {}, "mta": {},
	}
}

// known returns the full name of a parameter.
func known(word string) (string, bool) {
	word = strings.ToLower(strings.TrimLeft(word, "-/"))
	for name, parameter := range parameters() {
		if word == name {
			return name, true
		}
		for _, short := range parameter.short {
			if word == short {
				return name, true
			}
		}
	}
	return "", false
}

// parse reads the command line of the process.
func parse(p *machine.Process) (interp.Job, error) {
	job := interp.Job{Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr, Env: variables(p), Dir: p.Dir, PID: p.ID, User: p.User}
	for n := 0; n < len(p.Args); n++ {
		word := p.Args[n]
		if word == "" || !strings.ContainsAny(word[:1], "-/") {
			// What is no parameter is a command.
			job.Script = strings.Join(p.Args[n:], " ")
			return job, nil
		}
		name, ok := known(word)
		if !ok {
			return job, unknown.New("the parameter %s of powershell.exe", word)
		}
		if !parameters()[name].value {
			continue
		}
		if n+1 == len(p.Args) {
			return job, &refusal{"Cannot process the command because of a missing parameter. A command must follow -" + name + "."}
		}
		n++
		switch name {
		case "encodedcommand":
			script, err := decodeCommand(p.Args[n])
			job.Script, job.Encoded = script, true
			return job, err
		case "command":
			return command(p, job, p.Args[n:])
		case "file":
			return file(p, job, p.Args[n], p.Args[n+1:])
		}
	}
	return job, unknown.New("an interactive powershell.exe")
}

func variables(p *machine.Process) map[string]string {
	all := map[string]string{}
	for _, name := range p.Env.Names() {
		all[name] = p.Env.Get(name)
	}
	return all
}

// decodeCommand reads base64 of UTF-16LE.
func decodeCommand(text string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%2 != 0 {
		return "", &refusal{"Cannot process the command because the value specified with -EncodedCommand is not properly encoded. The value must be Base64 encoded."}
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	return string(utf16.Decode(units)), nil
}

// command is -Command: the words joined, or the input for a dash.
func command(p *machine.Process, job interp.Job, words []string) (interp.Job, error) {
	job.Script = strings.Join(words, " ")
	if job.Script != "-" {
		return job, nil
	}
	text, err := io.ReadAll(p.Stdin)
	job.Script, job.Stdin = string(text), bytes.NewReader(nil)
	return job, err
}

// file is -File: a script with its arguments.
func file(p *machine.Process, job interp.Job, name string, args []string) (interp.Job, error) {
	info, err := p.Machine.Files.Resolve(ntfs.Join(p.Dir, name))
	if err != nil {
		return job, &refusal{"The argument '" + name + "' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter."}
	}
	content, err := p.Machine.Files.ReadFile(info.Path)
	if err != nil {
		return job, err
	}
	job.File, job.Args = info.Path, args
	text, marked := strings.CutPrefix(string(content), "\ufeff")
	if !marked && strings.ContainsFunc(text, func(r rune) bool { return r > 127 }) {
		return job, unknown.New("a script file with other characters than ASCII and without a byte order mark")
	}
	job.Script = text
	return job, nil
}
