package localfacts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

// The limits of all files together. As values of the playbook, facts take a hundred times the memory of their text.
const (
	mostFacts = 30_000
	mostDepth = 64
)

// budget is what the files that are still to be read may have.
type budget struct{ values, bytes int }

// parse reads JSON, or sections of settings.
func (b *budget) parse(text string) (cty.Value, error) {
	if b.bytes -= len(text); b.bytes < 0 {
		return cty.NilVal, fmt.Errorf("with those before it has more than %d MiB, which no playbook needs", module.MostText>>20)
	}
	count, err := bounds.JSON([]byte(text), b.values, mostDepth)
	if err != nil {
		return cty.NilVal, fmt.Errorf("%w; all files may have %d together", err, mostFacts)
	}
	kind, err := ctyjson.ImpliedType([]byte(text))
	if err == nil {
		b.values -= count
		return ctyjson.Unmarshal([]byte(text), kind)
	}
	first := strings.TrimSpace(text)
	if strings.HasPrefix(first, "{") || first == "" {
		return cty.NilVal, fmt.Errorf("read it as JSON: %w", err)
	}
	return b.sections(text)
}

// sections reads settings in sections, all as texts.
func (b *budget) sections(text string) (cty.Value, error) {
	all, current := map[string]map[string]cty.Value{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if inner, begins := strings.CutPrefix(line, "["); begins {
			name, _, closed := strings.Cut(inner, "]")
			if !closed {
				return cty.NilVal, fmt.Errorf("%q is the beginning of no section, want \"[name]\"", line)
			}
			if current = name; all[current] == nil {
				b.values--
				all[current] = map[string]cty.Value{}
			}
			continue
		}
		name, value, separated := strings.Cut(line, "=")
		if !separated || current == "" {
			return cty.NilVal, errors.New("it is neither JSON nor \"name = value\" in sections with \"[name]\"")
		}
		if b.values--; b.values < 0 {
			return cty.NilVal, fmt.Errorf("with those before it has more than %d values", mostFacts)
		}
		all[current][strings.TrimSpace(name)] = cty.StringVal(strings.TrimSpace(value))
	}
	values := map[string]cty.Value{}
	for name, settings := range all {
		values[name] = cty.ObjectVal(settings)
	}
	return cty.ObjectVal(values), nil
}
