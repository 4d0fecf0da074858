// Package secret keeps secret values out of all output.
//
// A Value prints as three asterisks whatever the verb (but %p, which fmt does not let a
// type decide); only Reveal gives the text. As the key of a map it would still appear in
// JSON, so do not use it as one. A Redactor masks known secrets in other texts, such as the
// output of a remote command.
package secret

import (
	"encoding/json"
	"fmt"
)

// mask replaces a secret in output.
const mask = "***"

// Value is a secret text. It is a string type so that HCL attributes decode
// into it directly.
type Value string

// Reveal returns the text. Call it only where the secret is used.
func (v Value) Reveal() string { return string(v) }

// String returns the mask, or "" for an empty secret.
func (v Value) String() string {
	if v == "" {
		return ""
	}
	return mask
}

// GoString returns the mask, for %#v.
func (v Value) GoString() string { return v.String() }

// Format writes the mask for every verb, so that %x and %q do not leak either.
func (v Value) Format(f fmt.State, _ rune) { fmt.Fprint(f, v.String()) }

func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.String()) }

// MarshalText writes the mask.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
