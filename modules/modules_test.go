package modules_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"kinit/modules"
)

// TestNoArgumentHidesOneThatEveryTaskHas: the engine reads these itself, so that a
// module would never see them.
func TestNoArgumentHidesOneThatEveryTaskHas(t *testing.T) {
	t.Parallel()
	reserved := []string{"stage", "host", "hosts", "for_each", "when", "depends_on", "timeout", "on_failure", "always", "retry"}
	seen := map[string]bool{}
	for _, kind := range modules.All() {
		if seen[kind.Name] {
			t.Errorf("two modules are called %s", kind.Name)
		}
		seen[kind.Name] = true
		arguments := reflect.TypeOf(kind.New()).Elem()
		for i := range arguments.NumField() {
			name, _, _ := strings.Cut(arguments.Field(i).Tag.Get("hcl"), ",")
			if slices.Contains(reserved, name) {
				t.Errorf("%s has an argument %s, which is the engine's", kind.Name, name)
			}
		}
	}
}
