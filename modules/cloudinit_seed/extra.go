package seed

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// extra is the extra user data, or nil.
func (t *Task) extra() (any, error) {
	if t.ExtraUserData == cty.NilVal || t.ExtraUserData.IsNull() {
		return nil, nil
	}
	value, _ := t.ExtraUserData.UnmarkDeep()
	if !value.Type().IsObjectType() && !value.Type().IsMapType() {
		return nil, fmt.Errorf("extra_user_data is %s: expected an object of cloud-init keys", value.Type().FriendlyName())
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return nil, fmt.Errorf("extra_user_data: %w", err)
	}
	return decode(text)
}

// plainJSON turns a document into maps, lists and scalars, to be merged.
func plainJSON(doc any) (any, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// decode keeps numbers as they are written.
func decode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	err := dec.Decode(&doc)
	return doc, err
}

// merge appends lists, merges objects, and takes the extra one of anything else.
func merge(base, extra any) any {
	switch extra := extra.(type) {
	case []any:
		if base, ok := base.([]any); ok {
			return append(base, extra...)
		}
	case object:
		base, ok := base.(object)
		if !ok {
			break
		}
		for key, value := range extra {
			if old, both := base[key]; both {
				value = merge(old, value)
			}
			base[key] = value
		}
		return base
	}
	return extra
}
