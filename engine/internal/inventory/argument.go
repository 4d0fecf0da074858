package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/lists"
	"kinit/engine/pace"
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

// BecomeMethods returns the programs that change the user.
func BecomeMethods() Choice { return Choice{"A become method", []string{Sudo, Doas, Su}} }

// Problem returns the problem of a value, with a similar one, or "".
func (c Choice) Problem(value string) string {
	if slices.Contains(c.values, value) {
		return ""
	}
	return fmt.Sprintf("%s is %s.%s", c.what, c.listed(), diag.Near(value, c.values))
}

// listed returns the values for a sentence.
func (c Choice) listed() string {
	quoted := lists.Map(c.values, strconv.Quote)
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// ConnectTimeout parses a connect_timeout argument, or returns the problem.
func ConnectTimeout(text string) (limit time.Duration, problem string) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, fmt.Sprintf("Give a duration such as \"30s\", not %q.", text)
	}
	return limit, ""
}

// Pace returns the problem of a pace argument, or "".
func Pace(value float64) (problem string) {
	if value >= pace.Ordinary && value <= pace.Most {
		return ""
	}
	return fmt.Sprintf("Give how many times slower than an ordinary machine the host is, from %v, which leaves limits of time as they are, to %v.", pace.Ordinary, pace.Most)
}

// Become returns the user that a become argument names, or the problem.
func Become(value cty.Value) (user, problem string) {
	if value.IsNull() {
		return "", ""
	}
	if value.Type() == cty.Bool {
		if value.True() {
			return "root", ""
		}
		return "", ""
	}
	text, err := convert.Convert(value, cty.String)
	if err != nil {
		return "", "Give true to become root, or the name of a user."
	}
	return text.AsString(), ""
}
