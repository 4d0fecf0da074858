package sensitive

import (
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Text is a value as people read it: text as it is, anything else as JSON, with Shown
// in place of what is sensitive. It is empty for a value that is null or not known.
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
