package inventory

import (
	"fmt"
	"slices"

	"kinit/engine/diag"
)

// Choice is what a setting may be.
type Choice struct {
	what   string // with its article
	values []string
}

// Transports are the ways to reach a host.
func Transports() Choice { return Choice{"A transport", []string{SSH, WinRM, Local}} }

// Systems are the operating systems that a host may have.
func Systems() Choice { return Choice{"An operating system", []string{Linux, Windows}} }

// Logins are the ways to log in over WinRM.
func Logins() Choice { return Choice{"A way to log in over WinRM", []string{Basic, NTLM, Certificate}} }

// Problem says what is wrong with a value, with the one that is like it, or is empty.
func (c Choice) Problem(value string) string {
	if slices.Contains(c.values, value) {
		return ""
	}
	return fmt.Sprintf("%s is %s.%s", c.what, c.listed(), diag.Near(value, c.values))
}

// listed is the values in a sentence.
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
