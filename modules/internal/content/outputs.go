package content

import "github.com/zclconf/go-cty/cty"

// OutputTypes are the outputs of a task that makes a file.
func OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "sha256": cty.String, "size": cty.Number}
}

// Outputs are the values; a zero source is that of an absent file.
func Outputs(path string, s Source) map[string]cty.Value {
	return map[string]cty.Value{
		"path":   cty.StringVal(path),
		"sha256": cty.StringVal(s.SHA256),
		"size":   cty.NumberIntVal(s.Size),
	}
}
