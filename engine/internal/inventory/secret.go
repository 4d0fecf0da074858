package inventory

import (
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
		if t == cty.Bool || !ok || !IsSecret(name) {
			return nil
		}
		return []string{text}
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
		all = append(all, h.Password.Reveal())
		for name, value := range h.Vars {
			all = append(all, secretsIn(name, value)...)
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
var assignmentForm = regexp.MustCompile(`(?m)(^[\s-]*)?["']?([\w.-]+)["']?\s*[:=]\s*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,}]+)`)

// keyForm is what a private key in PEM looks like.
var keyForm = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----`)

// looseSecrets lists what look like secrets in a text that could not be read: the
// line that is shown of it may have one.
func looseSecrets(text []byte) []string {
	var all []string
	for _, at := range assignmentForm.FindAllSubmatchIndex(text, -1) {
		if IsSecret(string(text[at[4]:at[5]])) {
			all = append(all, looseValue(string(text[at[6]:at[7]]), string(text[at[6]:]), at[2] >= 0)...)
		}
	}
	for _, key := range keyForm.FindAll(text, -1) {
		all = append(all, string(key))
	}
	return all
}

// looseValue lists what may be the secret in a value and the text from there on: the first word of
// it, the rest of the line if the line has nothing else, and what is in brackets.
func looseValue(value, text string, alone bool) []string {
	all := []string{strings.Trim(value, `"'`)}
	line, _, _ := strings.Cut(text, "\n")
	if rest := strings.TrimRight(strings.TrimSpace(line), ","); alone && rest != value {
		all = append(all, rest)
	}
	if closing, ok := map[byte]string{'[': "]", '{': "}", '(': ")"}[value[0]]; ok {
		inside, _, _ := strings.Cut(text[1:], closing)
		all = append(all, written(inside)...)
	}
	return all
}

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
