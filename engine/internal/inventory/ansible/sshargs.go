package ansible

import (
	"slices"
	"strings"
)

// SSHArguments are arguments for the program ssh.
type SSHArguments struct {
	Jump    string   // the machines to go through, as in ProxyJump; empty for what the configuration says
	File    string   // the configuration, of -F
	Options []string // each as KEYWORD=VALUE of ssh_config(5)
	Unknown []string // arguments that have no meaning for kinit
}

// options are flags that stand for an option of ssh_config(5), which has the flag's value or a fixed one.
var options = map[string]string{
	"-i": "IdentityFile", "-l": "User", "-p": "Port", "-b": "BindAddress", "-B": "BindInterface",
	"-c": "Ciphers", "-m": "MACs", "-I": "PKCS11Provider", "-E": "", "-e": "EscapeChar",
	"-4": "AddressFamily=inet", "-6": "AddressFamily=inet6",
}

// silent are flags that change nothing about how kinit reaches a machine.
var silent = []string{"-C", "-q", "-v", "-vv", "-vvv", "-T", "-t", "-tt", "-n", "-x", "-X", "-Y", "-a", "-A", "-k", "-K", "-f", "-N", "-y"}

// ReadSSHArguments reads a line with arguments of ssh, parted into words as a shell does.
func ReadSSHArguments(line string) (SSHArguments, error) {
	var a SSHArguments
	all, err := words(line)
	for len(all) > 0 && err == nil {
		all = a.read(all)
	}
	return a, err
}

// read reads the first argument, with its value, and returns the words behind it.
func (a *SSHArguments) read(all []word) []word {
	flag, rest := all[0].text, all[1:]
	var value string
	take := func() bool { // the value of a flag of one letter, in its word or the next one
		if len(flag) > 2 {
			flag, value = flag[:2], flag[2:]
			return true
		}
		if len(rest) == 0 {
			return false
		}
		value, rest = rest[0].text, rest[1:]
		return true
	}
	if slices.Contains(silent, flag) {
		return rest
	}
	var name string
	if len(flag) >= 2 {
		name = flag[:2]
	}
	option, known := options[name]
	switch {
	case strings.Contains(option, "="):
		a.Options = append(a.Options, option)
	case name == "-J" && take():
		a.Jump = value
	case name == "-F" && take():
		a.File = value
	case name == "-o" && take():
		a.option(value)
	case known && take():
		if option != "" {
			a.Options = append(a.Options, option+"="+value)
		}
	case known, name == "-J", name == "-F", name == "-o": // nothing follows
	case strings.HasPrefix(flag, "-"):
		a.Unknown = append(a.Unknown, flag)
		if len(flag) == 2 && strings.Contains("DLOQRSWw", flag[1:]) && len(rest) > 0 {
			rest = rest[1:]
		}
	default:
		a.Unknown = append(a.Unknown, flag)
	}
	return rest
}

// option reads KEYWORD=VALUE or KEYWORD VALUE.
func (a *SSHArguments) option(text string) {
	end := strings.IndexAny(text, " \t=")
	if end < 0 {
		a.Unknown = append(a.Unknown, text)
		return
	}
	name, value := text[:end], strings.Trim(text[end:], " \t=")
	switch strings.ToLower(name) {
	case "proxyjump":
		a.Jump = value
	case "stricthostkeychecking", "checkhostip": // kinit verifies every host key
		if value == "no" || value == "off" || value == "accept-new" {
			a.Unknown = append(a.Unknown, name+"="+value)
		}
	default:
		a.Options = append(a.Options, name+"="+value)
	}
}
