package kubefile

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// put adds an entry to a list, in the place of the one with its name if there is one.
func put(file []byte, list, name string, content map[string]any) ([]byte, error) {
	added := map[string]any{inner(list): content, "name": name}
	item, err := encode([]any{added})
	if err != nil {
		return nil, err
	}
	return edit(file, list, func(all []any) []any { return append(without(all, name), added) }, func(t *text) bool { return t.replace(list, name, string(item)) })
}

func drop(file []byte, list, name string) ([]byte, error) {
	return edit(file, list, func(all []any) []any { return without(all, name) },
		func(t *text) bool { return t.replace(list, name, "") })
}

func setCurrent(file []byte, name string) ([]byte, error) {
	value, err := encode(map[string]any{currentContext: name})
	if err != nil {
		return nil, err
	}
	return checked(file, func(all map[string]any) { all[currentContext] = name }, func(t *text) bool { return t.line(currentContext, string(value)) })
}

// edit changes a list, as a text where possible, else by rewriting the file.
func edit(file []byte, list string, change func([]any) []any, asText func(*text) bool) ([]byte, error) {
	return checked(file, func(all map[string]any) {
		items, _ := all[list].([]any)
		all[list] = change(items)
	}, asText)
}

// checked changes a file as a text, and holds the result to what the same change makes
// of the values. Where they differ, as in files that are written in other ways, the
// file is rewritten, which keeps all values and no comments.
func checked(file []byte, change func(map[string]any), asText func(*text) bool) ([]byte, error) {
	want, err := parse(file)
	if err != nil {
		return nil, err
	}
	change(want)
	if t := newText(file); t != nil && asText(t) {
		got := map[string]any{}
		if err := yaml.Unmarshal(t.bytes(), &got); err == nil && same(want, got) {
			return t.bytes(), nil
		}
	}
	return encode(want)
}

// same compares the values of two files; the order within lists does not count, nor
// does an empty list.
func same(a, b map[string]any) bool { return reflect.DeepEqual(sorted(a), sorted(b)) }

func sorted(all map[string]any) map[string]any {
	all = maps.Clone(all)
	for _, list := range lists {
		items, _ := all[list].([]any)
		items = slices.Clone(items)
		slices.SortFunc(items, func(a, b any) int { return strings.Compare(nameOf(a), nameOf(b)) })
		all[list] = items
		if len(items) == 0 {
			delete(all, list)
		}
	}
	return all
}

func without(all []any, name string) []any {
	return slices.DeleteFunc(slices.Clone(all), func(item any) bool { return nameOf(item) == name })
}

func nameOf(item any) string {
	one, _ := item.(map[string]any)
	name, _ := one["name"].(string)
	return name
}

// encode writes values as kubectl does, with an indentation of two.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write the kubeconfig: %w", err)
	}
	return out.Bytes(), encoder.Close()
}
