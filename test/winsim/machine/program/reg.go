package program

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
)

// reg is reg.exe add, delete and query of one value.
func reg(_ context.Context, p *machine.Process) uint32 {
	if len(p.Args) < 2 {
		return unsupported(p)
	}
	verb, key := strings.ToLower(p.Args[0]), registry.For(p.User, p.Args[1])
	options := map[string]string{}
	for i := 2; i < len(p.Args); i++ {
		switch word := strings.ToLower(p.Args[i]); word {
		case "/v", "/t", "/d":
			if i++; i == len(p.Args) {
				return unsupported(p)
			}
			options[word] = p.Args[i]
		case "/f":
			options[word] = ""
		default:
			return unsupported(p)
		}
	}
	if _, named := options["/v"]; !named {
		return unsupported(p)
	}
	switch verb {
	case "add":
		return regAdd(p, key, options)
	case "query":
		return regQuery(p, key, options["/v"])
	default:
		return unsupported(p)
	}
}

// regAdd sets a value. Without /f it would ask before it replaces one.
func regAdd(p *machine.Process, key string, options map[string]string) uint32 {
	v := registry.Value{Name: options["/v"]}
	if _, there := p.Machine.Registry.Get(key, v.Name); there {
		if _, force := options["/f"]; !force {
			return unsupported(p)
		}
	}
	switch strings.ToUpper(options["/t"]) {
	case "", "REG_SZ":
		v.Kind, v.Text = registry.String, options["/d"]
	case "REG_EXPAND_SZ":
		v.Kind, v.Text = registry.ExpandString, options["/d"]
	case "REG_DWORD":
		number, err := strconv.ParseUint(options["/d"], 0, 32)
		if err != nil {
			return unsupported(p)
		}
		v.Kind, v.Number = registry.DWord, number
	default:
		return unsupported(p)
	}
	if err := p.Machine.Registry.Set(key, v); err != nil {
		p.Fail(err)
		return 1
	}
	say(p, "%s", p.Machine.Text(0))
	return 0
}

func regQuery(p *machine.Process, key, name string) uint32 {
	v, ok := p.Machine.Registry.Get(key, name)
	if !ok {
		text := either(p, "ERROR: The system was unable to find the specified registry key or value.", "FEHLER: Der angegebene Registrierungsschlüssel bzw. Wert wurde nicht gefunden.")
		fmt.Fprintf(p.Stderr, "%s\r\n", text)
		return 1
	}
	full, err := p.Machine.Registry.Name(key)
	if err != nil {
		return uint32(winerr.FileNotFound)
	}
	kind, data := "REG_SZ", v.Text
	switch v.Kind {
	case registry.ExpandString:
		kind = "REG_EXPAND_SZ"
	case registry.DWord:
		kind, data = "REG_DWORD", fmt.Sprintf("0x%x", v.Number)
	case registry.String:
	default:
		return unsupported(p)
	}
	say(p, "\r\n%s\r\n    %s    %s    %s\r\n", full, v.Name, kind, data)
	return 0
}
