package become

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// mostSaid is the most, in bytes, that is kept of what sudo, doas or su says.
const mostSaid = 4 << 10

// Dialog follows what an entry prints on standard error until the program has begun.
type Dialog struct {
	entry *Entry
	said  []byte // since the last question
	asked bool
}

// NewDialog returns the dialog of an entry that starts now.
func NewDialog(e *Entry) *Dialog { return &Dialog{entry: e} }

// Event is what a Dialog waits for.
type Event int

// The events.
const (
	Nothing Event = iota
	Asked         // it asks for the password
	Refused       // it asks again
	Begun         // the program has begun
	Over          // it has ended with a message
)

// Feed takes the next part of standard error, up to the mark, and returns how much that is. It must get all that has
// arrived: a question of doas or su is known by the colon at its end.
func (d *Dialog) Feed(part []byte) (used int, event Event) {
	before := len(d.said)
	d.said = append(d.said, part...)
	if i := bytes.Index(d.said, []byte(d.entry.Mark)); i >= 0 {
		used = i + len(d.entry.Mark) - before
		d.said = d.said[:i]
		return used, Begun
	}
	if d.over() {
		return len(part), Over
	}
	if d.question() {
		d.said = d.said[:0]
		event = Asked
		if d.asked {
			event = Refused
		}
		d.asked = true
	}
	if surplus := len(d.said) - mostSaid; surplus > 0 {
		d.said = append(d.said[:0], d.said[surplus:]...)
	}
	return len(part), event
}

// question reports whether the last thing it says is a question. That of sudo has the prompt; in all languages the
// others end with a colon, and no newline after it. Their own name and a colon begin a message.
func (d *Dialog) question() bool {
	if d.entry.Password == "" {
		return false
	}
	if d.entry.By() == Sudo {
		return bytes.Contains(d.said, []byte(d.entry.Prompt))
	}
	text := strings.TrimRight(string(d.said), " \u00a0")
	if line := text[strings.LastIndexByte(text, '\n')+1:]; strings.TrimSuffix(line, ":") == d.entry.By() {
		return false
	}
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// over reports whether doas has ended with a message. Nothing else shows that: what types into its terminal waits for input.
func (d *Dialog) over() bool {
	if !d.entry.feeds() || !bytes.HasSuffix(d.said, []byte("\n")) {
		return false
	}
	lines := strings.Split(strings.TrimSpace(string(d.said)), "\n")
	return strings.HasPrefix(lines[len(lines)-1], Doas+": ")
}

// Begun returns nil once the program has begun, and otherwise an error. A line that waits for a question on the terminal
// would take the program's input.
func (d *Dialog) Begun() error {
	if !d.asked && d.entry.feeds() {
		return errIdle
	}
	return nil
}

// Refusal returns the error of an entry that asked again.
func (d *Dialog) Refusal() error {
	return failure{text: d.entry.refused() + ". " + once, password: true}
}

// Ended returns why the program did not begin, after standard error has ended. cause is the error if sudo, doas or su said
// nothing.
func (d *Dialog) Ended(cause error) error {
	said := cmp.Or(strings.TrimSpace(string(d.said)), cause.Error())
	if d.asked {
		return failure{text: fmt.Sprintf("%s, or does not let it become %s: %s. %s", d.entry.refused(), d.entry.Name, strings.TrimRight(said, "."), once), password: true}
	}
	return d.entry.Ended(d.entry.Password != "", said)
}

// Asked reports whether the password was asked for.
func (d *Dialog) Asked() bool { return d.asked }

// Ended returns the error for what sudo, doas or su said before it asked for anything.
func (u User) Ended(password bool, said string) error {
	advice := ""
	if !password && u.By() != Other {
		advice = ". If it needs a password, give that by --ask-become-pass, or by become_password in the inventory"
	}
	return Early(failure{text: fmt.Sprintf("become %s with %s%s: %s%s", u.Name, u.By(), u.on(), strings.TrimRight(said, "."), advice)})
}
