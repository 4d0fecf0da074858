package ssh

import "kinit/engine/transport/internal/become"

// The ways to become another user. Sudo and Doas need a rule that lets the login
// do so without a password; Su needs the login to be root.
const (
	Sudo = become.Sudo
	Doas = become.Doas
	Su   = become.Su
)

// user returns the user to become.
func (c Config) user() become.User { return become.User{Name: c.Become, Method: c.BecomeMethod} }
