package ovn

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Compare returns the edit that changes the named columns of have to their values in
// want, and a line for each difference. Sets are compared without order. Equal
// columns give no edit.
func Compare[T any](have, want T, columns ...string) (Edit, []string) {
	row := have
	to, from := reflect.ValueOf(&row).Elem(), reflect.ValueOf(want)
	var fields []any
	var lines []string
	for i := range to.NumField() {
		column := to.Type().Field(i).Tag.Get("ovsdb")
		if !slices.Contains(columns, column) {
			continue
		}
		changes := difference(column, to.Field(i), from.Field(i))
		if len(changes) == 0 {
			continue
		}
		to.Field(i).Set(from.Field(i))
		fields, lines = append(fields, to.Field(i).Addr().Interface()), append(lines, changes...)
	}
	if len(fields) == 0 {
		return nil, nil
	}
	return Update(&row, fields...), lines
}

// Correct returns the change that Compare finds, under a headline.
func Correct[T any](head string, have, want T, columns ...string) Change {
	edit, lines := Compare(have, want, columns...)
	if edit == nil {
		return Change{}
	}
	return Change{Text: Lines(head, lines), Edits: []Edit{edit}}
}

// Show lists the named non-empty columns of a row, as a new row's text.
func Show[T any](row T, columns ...string) []string {
	var none T
	_, lines := Compare(none, row, columns...)
	for i, line := range lines {
		lines[i] = strings.Replace(line, "none -> ", "", 1)
	}
	return lines
}

// difference describes the change of a column; nothing if it is equal.
func difference(column string, have, want reflect.Value) []string {
	if have.Kind() == reflect.Map {
		return mapDifference(column, have.Interface().(map[string]string), want.Interface().(map[string]string))
	}
	old, new := text(have), text(want)
	if old == new {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s -> %s", column, orNone(old), orNone(new))}
}

func mapDifference(column string, have, want map[string]string) []string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(Merged(have, want))) {
		old, was := have[key]
		new, is := want[key]
		if was != is || old != new {
			lines = append(lines, fmt.Sprintf("%s:%s: %s -> %s", column, key, orNone(old), orNone(new)))
		}
	}
	return lines
}

// text is a column's value as one word list, sets in order.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return text(v.Elem())
	case reflect.Slice:
		words := slices.Clone(v.Interface().([]string))
		slices.Sort(words)
		return strings.Join(words, ", ")
	}
	return fmt.Sprint(v.Interface())
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// Lines joins a headline and the indented lines below it.
func Lines(head string, below []string) string {
	return strings.Join(append([]string{head}, below...), "\n  ")
}
