package localfacts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// parse reads JSON, or sections of settings.
func parse(text string) (cty.Value, error) {
	kind, err := ctyjson.ImpliedType([]byte(text))
	if err == nil {
		return ctyjson.Unmarshal([]byte(text), kind)
	}
	first := strings.TrimSpace(text)
	if strings.HasPrefix(first, "{") || first == "" {
		return cty.NilVal, fmt.Errorf("read it as JSON: %w", err)
	}
	return sections(text)
}

// sections reads settings in sections, all as texts.
func sections(text string) (cty.Value, error) {
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
				all[current] = map[string]cty.Value{}
			}
			continue
		}
		name, value, separated := strings.Cut(line, "=")
		if !separated || current == "" {
			return cty.NilVal, errors.New("it is neither JSON nor \"name = value\" in sections with \"[name]\"")
		}
		all[current][strings.TrimSpace(name)] = cty.StringVal(strings.TrimSpace(value))
	}
	values := map[string]cty.Value{}
	for name, settings := range all {
		values[name] = cty.ObjectVal(settings)
	}
	return cty.ObjectVal(values), nil
}
