// Package knownhost is the module "known_host": a host key that SSH clients of the
// host trust.
package knownhost

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/lines"
)

// Task is a machine's public host key that is present in or absent from a known_hosts file.
// A line of the same machine with another key of the same type is replaced, as is a line
// that is not in the form that hashed requires; a line for several machines loses
// this one. Lines that begin with a marker, such as @cert-authority, remain.
//
// Lines that kinit adds are marked; cleanup removes them and restores the replaced ones.
//
// Errors:
//   - key is not a public key, or more than one line
//   - name is a pattern, a list or in brackets, or has blanks
//   - the file is a link, or not a regular file; its folder is missing
type Task struct {
	// Name is the name or address under which clients reach the machine.
	Name string `hcl:"name"`
	// Port is the port of its SSH server.
	Port int `hcl:"port,optional" default:"22"`
	// Key is its public host key, "TYPE DATA", as in ssh_host_ed25519_key.pub. It is optional
	// for state = "absent": then all keys of the machine are removed.
	Key string `hcl:"key,optional" nonempty:"want a public host key, \"TYPE DATA\""`
	// Hashed hides the machine's name in the line, so that a thief of the file does not
	// learn where its users log in.
	Hashed bool `hcl:"hashed,optional"`
	// Path is the absolute path of the file, whose folder must exist. All users use the
	// default. A new file has the mode "0644".
	Path string `hcl:"path,optional" default:"/etc/ssh/ssh_known_hosts" path:"clean"`
	module.Presence
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "known_host", Marks: []module.MarkKind{
		lines.Marks(),
	}})
}

func (t *Task) Validate() error {
	switch {
	case t.Name == "" || strings.ContainsAny(t.Name, " \t\r\n,*?![]|#@") || strings.HasPrefix(t.Name, "-"):
		return fmt.Errorf("name is %q, want a name or address without port, such as \"git.example\"", t.Name)
	case t.Port < 1 || t.Port > 65535:
		return fmt.Errorf("port is %d, want 1 to 65535", t.Port)
	}
	_, err := t.key()
	return err
}

// key is the key of the arguments, nil for all.
func (t *Task) key() (ssh.PublicKey, error) {
	if t.Key == "" {
		return nil, nil
	}
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(t.Key))
	if err != nil || len(options) > 0 || strings.TrimSpace(string(rest)) != "" {
		return nil, fmt.Errorf("key is no public key, want one line \"TYPE DATA\" as in ssh_host_ed25519_key.pub: %.40s", t.Key)
	}
	return key, nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	key, err := t.key()
	if err != nil {
		return nil, err
	}
	file := lines.File{Path: t.Path, Attr: module.Attr{Mode: 0o644}, Replaces: true}
	if t.Absent() {
		title := "forget the host keys of " + t.name()
		if key != nil {
			title = fmt.Sprintf("forget host key %s of %s", ssh.FingerprintSHA256(key), t.name())
		}
		return file.PlanAbsent(ctx, h, title, func(have []string) []string { return t.without(have, key) })
	}
	title := fmt.Sprintf("trust host key %s of %s", ssh.FingerprintSHA256(key), t.name())
	known, _, err := hostfile.Read(ctx, h, t.Path)
	if err != nil {
		return nil, err
	}
	// A salted line is made once, and later found by its content.
	line := t.line(known, key)
	return file.Plan(ctx, h, title, func(have []string) []string { return t.with(have, key, line) })
}

// with returns the lines with the key: at its existing place, or at the end.
func (t *Task) with(have []string, key ssh.PublicKey, line string) []string {
	found := slices.ContainsFunc(have, func(one string) bool { return t.fits(one, key) })
	var out []string
	for _, one := range have {
		e, is := parse(one)
		switch {
		case is && found && t.fits(one, key):
			out = append(out, one)
			found, line = false, "" // a second one goes
		case is && e.names(t.name()) && e.key.Type() == key.Type():
			if rest, left := e.without(t.name()); left {
				out = append(out, rest)
			}
		default:
			out = append(out, one)
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// without returns the lines without the machine's given key, or without all its keys.
func (t *Task) without(have []string, key ssh.PublicKey) []string {
	var out []string
	for _, one := range have {
		e, is := parse(one)
		if !is || !e.names(t.name()) || key != nil && !same(e.key, key) {
			out = append(out, one)
			continue
		}
		if rest, left := e.without(t.name()); left {
			out = append(out, rest)
		}
	}
	return out
}

// entry is a line of known_hosts without a marker.
type entry struct {
	hosts   []string
	key     ssh.PublicKey
	comment string
}

func parse(line string) (entry, bool) {
	if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
		return entry{}, false
	}
	marker, hosts, key, comment, _, err := ssh.ParseKnownHosts([]byte(line))
	if err != nil || marker != "" {
		return entry{}, false
	}
	return entry{hosts, key, comment}, true
}

func (t *Task) name() string {
	return knownhosts.Normalize("[" + t.Name + "]:" + strconv.Itoa(t.Port))
}

// names reports whether the line is for a machine. Patterns match many machines, and
// are not changed.
func (e entry) names(name string) bool {
	return slices.ContainsFunc(e.hosts, func(one string) bool { return one == name || isHashOf(one, name) })
}

// isHashOf reports whether a hashed name is that of a machine: "|1|salt|hash", HMAC
// with SHA-1, both in base64; man 8 sshd, SSH_KNOWN_HOSTS FILE FORMAT.
func isHashOf(hashed, name string) bool {
	parts := strings.Split(hashed, "|")
	if len(parts) != 4 || parts[0] != "" || parts[1] != "1" {
		return false
	}
	salt, errSalt := base64.StdEncoding.DecodeString(parts[2])
	want, errHash := base64.StdEncoding.DecodeString(parts[3])
	if errSalt != nil || errHash != nil {
		return false
	}
	mac := hmac.New(sha1.New, salt)
	mac.Write([]byte(name))
	return hmac.Equal(mac.Sum(nil), want)
}

func (t *Task) fits(line string, key ssh.PublicKey) bool {
	e, is := parse(line)
	if !is || len(e.hosts) != 1 || !same(e.key, key) {
		return false
	}
	if t.Hashed {
		return isHashOf(e.hosts[0], t.name())
	}
	return e.hosts[0] == t.name()
}

func same(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

// without returns the line for the other machines that it names, if any.
func (e entry) without(name string) (string, bool) {
	rest := slices.DeleteFunc(slices.Clone(e.hosts), func(one string) bool { return one == name || isHashOf(one, name) })
	text := strings.Join(rest, ",") + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(e.key)))
	return strings.TrimSpace(text + " " + e.comment), len(rest) > 0
}

// line returns the machine's line in the file: an existing one that fits,
// or a new one.
func (t *Task) line(known string, key ssh.PublicKey) string {
	for one := range strings.Lines(known) {
		if one = strings.TrimSuffix(one, "\n"); t.fits(one, key) {
			return one
		}
	}
	name := t.name()
	if t.Hashed {
		name = knownhosts.HashHostname(name)
	}
	return name + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}
