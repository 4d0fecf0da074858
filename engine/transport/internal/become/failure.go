package become

import (
	"cmp"

	"kinit/engine/transport"
)

// once is the way out for a password that was refused.
const once = "kinit gives it once, so that no account is locked: give the right one by --ask-become-pass, or where the inventory has it"

// failure is why the user was not become. It is a transport.ErrBecome.
type failure struct {
	text     string
	password bool // was refused: it is a transport.ErrPassword too
}

func (f failure) Error() string { return f.text }

func (f failure) Is(target error) bool {
	return target == transport.ErrBecome || f.password && target == transport.ErrPassword
}

// refused says who has refused whose password.
func (u User) refused() string {
	whose := cmp.Or(u.Login, "the user who logs in")
	if u.By() == Su {
		whose = u.Name
	}
	return u.By() + u.on() + " refused the password of " + whose
}

// on is the machine, after a blank.
func (u User) on() string {
	if u.Host == "" {
		return ""
	}
	return " on " + u.Host
}
