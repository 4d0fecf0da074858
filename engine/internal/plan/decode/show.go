package decode

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"reflect"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/event"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Arguments lists the arguments of a decoded task that have a value, and the secrets among
// them. Secrets by type and arguments with the tag log:"-" are masked. Of sensitive values
// it lists only the parts that may be shown.
func Arguments(task module.Task, hidden Sensitivity) (values []event.Value, secrets []string) {
	a := &lister{hidden: hidden}
	a.structure("", reflect.ValueOf(task).Elem())
	return a.values, a.secrets
}

// lister is the state of one Arguments.
type lister struct {
	hidden  Sensitivity
	values  []event.Value
	secrets []string
}

func (a *lister) structure(prefix string, v reflect.Value) {
	for _, f := range module.Arguments(v.Type()) {
		into, name := v.FieldByIndex(f.Field.Index), prefix+f.Name
		switch {
		case into.IsZero():
		case f.Kind == "block":
			a.block(name, into)
		case f.Field.Tag.Get("log") == "-":
			a.values = append(a.values, event.Value{Name: name, Text: "(not shown)", Mask: true})
		default:
			a.argument(name, into)
		}
	}
}

// block lists the arguments of a nested block, or of several.
func (a *lister) block(name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		a.block(name, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			a.block(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	case reflect.Struct:
		a.structure(name+".", v)
	}
}

func (a *lister) argument(name string, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	before := len(a.secrets)
	a.reveal(v)
	text := fmt.Sprint(v.Interface())
	if value, ok := v.Interface().(cty.Value); ok {
		text = sensitive.Text(value)
	} else if v.Kind() != reflect.String {
		encoded, err := json.Marshal(v.Interface()) // a secret.Value masks itself
		if err != nil {
			encoded = []byte("(" + err.Error() + ")")
		}
		text = string(encoded)
	}
	mask := len(a.secrets) > before
	if argument, ok := a.hidden.arguments[name]; ok && !mask {
		text, mask = sensitive.Text(argument.shown), true
	}
	a.values = append(a.values, event.Value{Name: name, Text: text, Mask: mask})
}

// reveal collects the secrets in a value.
func (a *lister) reveal(v reflect.Value) {
	if s, ok := v.Interface().(secret.Value); ok {
		if !certificates(s.Reveal()) {
			a.secrets = append(a.secrets, s.Reveal())
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			a.reveal(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			a.reveal(v.Index(i))
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			a.reveal(each.Value())
		}
	}
}

// certificates reports whether a text is certificates in PEM (RFC 7468) and nothing else.
// They are public everywhere, even beside their keys in a map of secrets.
func certificates(text string) bool {
	const begin = "-----BEGIN CERTIFICATE-----"
	rest := strings.TrimSpace(text)
	if !strings.HasPrefix(rest, begin) {
		return false
	}
	for strings.HasPrefix(rest, begin) {
		block, after := pem.Decode([]byte(rest))
		if block == nil || block.Type != "CERTIFICATE" {
			return false
		}
		rest = strings.TrimSpace(string(after))
	}
	return rest == ""
}
