package inventory

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/sensitive"
)

// IsSecret reports whether a variable of this name has a secret value: its last word
// is one for secrets, as in db_password or api_token.
func IsSecret(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(words) == 0 {
		return false
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	if last == "key" && len(before) > 0 {
		return slices.Contains([]string{"api", "secret", "private", "access"}, before[len(before)-1])
	}
	return slices.Contains([]string{"password", "passwd", "pass", "passphrase", "secret", "token", "psk"}, last)
}

// secretName is the name of a variable, or the name of a secret if its value was encrypted.
func (h *Host) secretName(name string) string {
	if h.Origins[name].Secret {
		return "secret"
	}
	return name
}

// Shown is the value of a variable without the secrets in it.
func (h *Host) Shown(name string, value cty.Value) cty.Value {
	return Masked(h.secretName(name), value)
}

// marked is the host's variables with their secrets marked.
func (h *Host) marked() map[string]cty.Value {
	all := make(map[string]cty.Value, len(h.Vars))
	for name, value := range h.Vars {
		all[name] = Marked(h.secretName(name), value)
	}
	return all
}

// mask is what is shown instead of a secret.
const mask = "***"

// Masked is a value of a name without the secrets in it.
func Masked(name string, value cty.Value) cty.Value {
	if value.IsNull() || !value.IsKnown() {
		return value
	}
	if IsSecret(name) {
		return cty.StringVal(mask)
	}
	t := value.Type()
	switch {
	case t.IsObjectType() || t.IsMapType():
		attributes := value.AsValueMap()
		for key, inner := range attributes {
			attributes[key] = Masked(key, inner)
		}
		return cty.ObjectVal(attributes)
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		items := value.AsValueSlice()
		for i, inner := range items {
			items[i] = Masked(name, inner)
		}
		return cty.TupleVal(items)
	}
	return value
}

func secretsIn(name string, value cty.Value) []string {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	t := value.Type()
	if t.IsPrimitiveType() {
		text, ok := scalarText(value)
		switch {
		case t == cty.Bool || !ok:
			return nil
		case IsSecret(name):
			return []string{text}
		}
		return givenToSSHPass(text)
	}
	if !value.CanIterateElements() {
		return nil
	}
	var all []string
	for key, inner := range value.Elements() {
		within := name
		if key.Type() == cty.String && !IsSecret(name) {
			within = key.AsString()
		}
		all = append(all, secretsIn(within, inner)...)
	}
	return all
}

// sshPassForm is what hands a password to sshpass, as arguments of ssh in Ansible's inventories do.
var sshPassForm = regexp.MustCompile(`\bsshpass\s+-p\s*("[^"]*"|'[^']*'|\S+)`)

// givenToSSHPass lists the passwords that a command line gives to sshpass.
func givenToSSHPass(line string) []string {
	var all []string
	for _, found := range sshPassForm.FindAllStringSubmatch(line, -1) {
		all = append(all, strings.Trim(found[1], `"'`))
	}
	return all
}

// Marked is a value of a name with its secrets marked as sensitive.
func Marked(name string, value cty.Value) cty.Value {
	if value == cty.NilVal || value.IsNull() || !value.IsKnown() {
		return value
	}
	if IsSecret(name) {
		return sensitive.Mark(value)
	}
	t := value.Type()
	switch {
	case len(secretsIn(name, value)) == 0:
	case t.IsObjectType() || t.IsMapType():
		attributes := value.AsValueMap()
		for key, inner := range attributes {
			attributes[key] = Marked(key, inner)
		}
		if t.IsMapType() {
			return cty.MapVal(attributes)
		}
		return cty.ObjectVal(attributes)
	case t.IsTupleType():
		items := value.AsValueSlice()
		for i, inner := range items {
			items[i] = Marked(name, inner)
		}
		return cty.TupleVal(items)
	default:
		return sensitive.Mark(value)
	}
	return value
}

// markAll is values by name with their secrets marked.
func markAll(values map[string]cty.Value) map[string]cty.Value {
	all := make(map[string]cty.Value, len(values))
	for name, value := range values {
		all[name] = Marked(name, value)
	}
	return all
}

// Secrets lists the texts that are secret: passwords of connections, what logs in to the
// team's etcd, and what variables with the name of a secret have.
func (inv *Inventory) Secrets() []string {
	var all []string
	for _, h := range inv.Hosts {
		all = append(all, h.Password.Reveal(), h.BecomePassword.Reveal())
		for name, value := range h.Vars {
			all = append(all, secretsIn(h.secretName(name), value)...)
		}
	}
	for name, value := range inv.Vars {
		all = append(all, secretsIn(name, value)...)
	}
	if inv.Lock != nil {
		all = append(all, inv.Lock.Etcd.secrets()...)
	}
	all = append(all, inv.loose...)
	slices.Sort(all)
	return slices.Compact(all)
}

// assignmentForm is what an assignment looks like in all formats: what is before it on its line, the
// name, and the value.
var assignmentForm = regexp.MustCompile(`(?m)(^[\s-]*)?["']?([\w.-]+)["']?[ \t]*[:=][ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,}]+|$)`)

// keyForm is what a private key in PEM looks like.
var keyForm = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----`)

// looseSecrets lists what look like secrets in a text that could not be read: the
// line that is shown of it may have one.
func looseSecrets(text []byte) []string {
	var all []string
	for _, at := range assignmentForm.FindAllSubmatchIndex(text, -1) {
		if IsSecret(string(text[at[4]:at[5]])) {
			before := text[bytes.LastIndexByte(text[:at[4]], '\n')+1 : at[4]]
			all = append(all, looseValue(string(text[at[6]:at[7]]), string(text[at[6]:]), string(before))...)
		}
	}
	for _, key := range keyForm.FindAll(text, -1) {
		all = append(all, string(key))
	}
	return append(all, givenToSSHPass(string(text))...)
}

// looseValue lists what may be the secret in a value and the text from there on. Before is what stands
// before its name on the line.
func looseValue(value, text, before string) []string {
	all := []string{strings.Trim(value, `"'`)}
	line, after, _ := strings.Cut(text, "\n")
	if rest := strings.TrimRight(strings.TrimSpace(line), ","); strings.Trim(before, " \t-\"'") == "" && rest != value {
		all = append(all, rest)
	}
	// Further words, up to the next assignment: a password that lacks its quotes, or its second quote.
	words := line[len(value):]
	if next := nextForm.FindStringIndex(words); next != nil {
		words = words[:next[0]]
	}
	if words = strings.TrimSpace(words); words != "" && !strings.ContainsAny(words[:1], ",}#;") {
		all = append(append(all, words), strings.Fields(words)...)
	}
	if closing, ok := map[string]string{"[": "]", "{": "}", "(": ")"}[value[:min(1, len(value))]]; ok {
		inside, _, _ := strings.Cut(text[1:], closing)
		all = append(all, written(inside)...)
	}
	return append(all, written(further(line, after, len(before)-len(strings.TrimLeft(before, " "))))...)
}

// nextForm is the assignment behind a value on the same line.
var nextForm = regexp.MustCompile(`\s["']?[\w.-]+["']?\s*[:=]`)

// further returns the lines that belong to a value: a heredoc of HCL up to its marker, or a block of YAML,
// whose lines are further in than that of its name.
func further(value, after string, in int) string {
	lines := slices.Collect(strings.Lines(after))
	end := func(string) bool { return true }
	if found := heredocForm.FindStringSubmatch(value); found != nil {
		end = func(line string) bool { return strings.TrimSpace(line) == found[1] }
	} else if blockForm.MatchString(value) {
		end = func(line string) bool {
			return strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) <= in
		}
	}
	if i := slices.IndexFunc(lines, end); i >= 0 {
		return strings.Join(lines[:i], "")
	}
	return after
}

var (
	heredocForm = regexp.MustCompile(`^<<-?([\w-]+)`)
	blockForm   = regexp.MustCompile(`^([|>][-+0-9]*)?\s*(#.*)?$`)
)

// quotedForm is a text in quotes.
var quotedForm = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`)

// written lists the texts in quotes and the lines of a text.
func written(text string) []string {
	var all []string
	for _, quoted := range quotedForm.FindAllString(text, -1) {
		all = append(all, strings.Trim(quoted, `"'`))
	}
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}
