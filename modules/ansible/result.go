package ansible

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

// result is what a module returned.
type result struct {
	changed, failed, skipped bool
	message                  string
	warnings                 []string
	changes                  []change
	all                      map[string]json.RawMessage // without what is about the call
}

// parse reads the JSON object in a module's output. Lines before it are of programs that the
// module, or the login, called.
func parse(output string) (*result, error) {
	at := strings.Index("\n"+output, "\n{")
	if at < 0 {
		return nil, errors.New("it returned no result")
	}
	r := &result{}
	if err := json.NewDecoder(strings.NewReader(output[at:])).Decode(&r.all); err != nil {
		return nil, fmt.Errorf("its result is no JSON: %w", err)
	}
	r.changed, r.failed, r.skipped = r.is("changed"), r.is("failed"), r.is("skipped")
	r.message, r.changes = r.text("msg"), changes(r.all["diff"])
	_ = json.Unmarshal(r.all["warnings"], &r.warnings)
	// invocation has all arguments.
	for _, name := range []string{"invocation", "warnings", "deprecations", "exception"} {
		delete(r.all, name)
	}
	return r, nil
}

func (r *result) is(name string) bool {
	yes := false
	_ = json.Unmarshal(r.all[name], &yes)
	return yes
}

// text returns a text that the module returned, of another value its JSON.
func (r *result) text(name string) string {
	text := ""
	if json.Unmarshal(r.all[name], &text) != nil {
		text = string(r.all[name])
	}
	return strings.TrimSpace(text)
}

// wrongArgs matches what ansible-core says about wrong arguments of a module.
var wrongArgs = regexp.MustCompile(`^(Unsupported parameters for|missing required arguments?:|missing parameter\(s\) required by|value of .* must be one|argument '?.* is of type|one of the following is required:|parameters are (mutually exclusive|required together):|.* is .* but (any|all) of the following are missing:)`)

// err returns the error of a module that failed.
func (r *result) err(name string) error {
	text := name + ": " + r.message
	if wrongArgs.MatchString(r.message) {
		return errors.New("args: " + text)
	}
	for _, stream := range []string{"stderr", "stdout"} {
		if said := module.Tail(r.text(stream), 8); said != "" && !strings.Contains(text, said) {
			text += "\n" + stream + ":\n" + said
		}
	}
	return errors.New(text)
}

// The limits of a module's result, which as a value of the playbook takes many times the memory of its text.
const (
	mostValues = 50_000
	mostDepth  = 64
)

func (r *result) value() (cty.Value, error) {
	if r == nil {
		return cty.EmptyObjectVal, nil
	}
	text, err := json.Marshal(r.all)
	if err != nil {
		return cty.NilVal, err
	}
	if _, err := bounds.JSON(text, mostValues, mostDepth); err != nil {
		return cty.NilVal, fmt.Errorf("the module's result: %w", err)
	}
	kind, err := ctyjson.ImpliedType(text)
	if err != nil {
		return cty.NilVal, fmt.Errorf("the module's result: %w", err)
	}
	return ctyjson.Unmarshal(text, kind)
}
