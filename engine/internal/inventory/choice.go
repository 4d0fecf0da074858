package inventory

import (
	"fmt"
	"slices"

	"kinit/engine/diag"
)

// Choice lists the values of a setting.
type Choice struct {
	what   string // the setting with its article
	values []string
}

// Transports returns the ways to reach a host.
func Transports() Choice { return Choice{"A transport", []string{SSH, WinRM, Local}} }

// Systems returns the operating systems of hosts.
func Systems() Choice { return Choice{"An operating system", []string{Linux, Windows}} }

// Logins returns the ways to log in over WinRM.
func Logins() Choice { return Choice{"A way to log in over WinRM", []string{Basic, NTLM, Certificate}} }

// Problem returns the problem of a value, with a similar one, or "".
func (c Choice) Problem(value string) string {
	if slices.Contains(c.values, value) {
		return ""
	}
	return fmt.Sprintf("%s is %s.%s", c.what, c.listed(), diag.Near(value, c.values))
}

// listed returns the values for a sentence.
func (c Choice) listed() string {
	text := ""
	for i, value := range c.values {
		switch {
		case i > 0 && i == len(c.values)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += fmt.Sprintf("%q", value)
	}
	return text
}
