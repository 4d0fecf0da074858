package sensitive

import (
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Text formats a value for people: a text unchanged, other values as JSON, sensitive parts
// as Shown. It is empty for a null or unknown value.
func Text(value cty.Value) string {
	value = Veiled(value)
	if value == cty.NilVal || value.IsNull() || !value.IsWhollyKnown() {
		return ""
	}
	if value.Type() == cty.String {
		return value.AsString()
	}
	encoded, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}
