// Package reference is what people read about each module: its arguments, the
// values it returns, its errors and an example.
//
// It is made from the modules themselves. Meanings are the doc comments of a
// module's task, types and defaults are those of the Go code, and the example is
// the file <module>.example.hcl in the module's package, a playbook that tests
// validate. The files in data and docs/modules.md are generated; a test fails when
// they are not current.
package reference

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

//go:generate go run kinit/modules/reference/generate

//go:embed data
var data embed.FS

// Module is the reference of one module.
type Module struct {
	Name      string     `json:"name"`      // as in task "<name>" "…"
	Summary   string     `json:"summary"`   // one line without a full stop
	Text      string     `json:"text"`      // paragraphs with an empty line between
	Arguments []Argument `json:"arguments"` // in the order of the code
	Outputs   []Output   `json:"outputs"`   // by name
	Errors    []string   `json:"errors"`    // what it refuses, and why
	Example   string     `json:"example"`   // a whole playbook
}

// Argument is an argument of a module or of a block in it.
type Argument struct {
	Name      string     `json:"name"`
	Type      string     `json:"type"` // as HCL writes types; "block" for a block
	Required  bool       `json:"required,omitempty"`
	Secret    bool       `json:"secret,omitempty"`    // its value is never shown
	Repeated  bool       `json:"repeated,omitempty"`  // a block that may be given several times
	Words     []string   `json:"words,omitempty"`     // the values that it can have; any if empty
	Default   string     `json:"default,omitempty"`   // in HCL; what Text says where it is empty
	Text      string     `json:"text"`                // meaning and unit
	Arguments []Argument `json:"arguments,omitempty"` // of a block
}

// Output is a value that other tasks may refer to.
type Output struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// Of returns the reference of one module. The error of a name that no module has
// is fs.ErrNotExist.
func Of(name string) (Module, error) {
	text, err := fs.ReadFile(data, path.Join("data", name+".json"))
	if err != nil {
		return Module{}, err
	}
	var m Module
	if err := json.Unmarshal(text, &m); err != nil {
		return Module{}, fmt.Errorf("read the reference of %s: %w", name, err)
	}
	return m, nil
}
