package ssh

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/kevinburke/ssh_config"

	"kinit/engine/trust"
)

// Alias holds the settings of a name in the OpenSSH client's configuration.
type Alias struct {
	Config
	// ProxyJump is the name, or user@host:port, of the machine to connect
	// through; empty for none. It may be an alias itself.
	ProxyJump string
}

// FromSSHConfig looks a name up as ssh(1) would, in ~/.ssh/config and /etc/ssh/ssh_config
// or in the given files instead. An unknown name is an address. HostName, Port, User,
// IdentityFile, ProxyJump, UserKnownHostsFile and Include are supported; Match only for
// host names. Any other Match or a ProxyCommand is an error.
func FromSSHConfig(alias string, files ...string) (Alias, error) {
	if len(files) == 0 { // ssh refuses a configuration that others can change, too
		rules := trust.From(os.Environ())
		files = []string{"~/.ssh/config", "/etc/ssh/ssh_config"}
		for _, name := range files {
			if err := rules.Found(expand(name)); err != nil {
				return Alias{}, fmt.Errorf("%s is %w", name, err)
			}
		}
	}
	options, err := readOptions(alias, files)
	if err != nil {
		return Alias{}, err
	}
	return options.alias(alias)
}

// options are the values for one name: of the first file that has any.
type options map[string][]string

// wanted are the supported keys.
var wanted = []string{"HostName", "Port", "User", "IdentityFile", "ProxyJump", "ProxyCommand", "UserKnownHostsFile"}

func readOptions(alias string, files []string) (options, error) {
	found := options{}
	for _, name := range files {
		text, err := os.ReadFile(expand(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		config, err := ssh_config.DecodeBytes(text)
		if err == nil {
			err = found.merge(config, alias)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return found, nil
}

// merge adds the keys that no earlier file had. Only IdentityFile accumulates.
func (o options) merge(config *ssh_config.Config, alias string) error {
	for _, key := range wanted {
		values, err := config.GetAll(alias, key)
		if err != nil {
			return err
		}
		if len(o[key]) == 0 || key == "IdentityFile" {
			o[key] = append(o[key], values...)
		}
	}
	return nil
}

// first returns the first value of a key, which OpenSSH uses.
func (o options) first(key string) string {
	if len(o[key]) == 0 {
		return ""
	}
	return strings.Trim(o[key][0], `"`)
}

func (o options) alias(alias string) (Alias, error) {
	if command := o.first("ProxyCommand"); command != "" && command != "none" && o.first("ProxyJump") == "" {
		return Alias{}, fmt.Errorf("the SSH configuration of %s has a ProxyCommand, which kinit does not run: use ProxyJump", alias)
	}
	a := Alias{Config: Config{Name: alias, User: o.first("User")}}
	a.Address = tokens(cmp.Or(o.first("HostName"), alias), alias, a.User)
	if jump := o.first("ProxyJump"); jump != "none" {
		a.ProxyJump = jump
	}
	if port := o.first("Port"); port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return Alias{}, fmt.Errorf("the SSH configuration of %s has the port %q", alias, port)
		}
		a.Port = int(number)
	}
	for _, file := range o["IdentityFile"] {
		if file != "none" {
			a.IdentityFiles = append(a.IdentityFiles, tokens(strings.Trim(file, `"`), a.Address, a.User))
		}
	}
	if known := o.first("UserKnownHostsFile"); known != "" && known != "none" {
		a.KnownHosts = append(strings.Fields(tokens(known, a.Address, a.User)), "/etc/ssh/ssh_known_hosts")
	}
	return a, nil
}

// tokens replaces the tokens of ssh_config(5) that are common in these values.
func tokens(text, host, remoteUser string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	return strings.NewReplacer(
		"%%", "%", "%h", host, "%n", host, "%d", expand("~/"), "%u", currentUser(),
		"%r", cmp.Or(remoteUser, currentUser()),
	).Replace(text)
}
