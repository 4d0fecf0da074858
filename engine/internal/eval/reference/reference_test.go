package reference

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPageHasEveryFunctionWithAnExampleThatHolds(t *testing.T) {
	t.Parallel()
	want, err := Markdown()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("../../../..", Page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is old; write it anew by: make generate\n%s", Page, diff)
	}
}
