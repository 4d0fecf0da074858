package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/modules"
)

const root = "../../.."

func TestReferenceIsCurrent(t *testing.T) {
	t.Parallel()
	want, lacking, err := generated(root, modules.All())
	if err != nil {
		t.Fatal(err)
	}
	if lacking != nil {
		t.Errorf("modules do not say all that their reference needs:\n%v", lacking)
	}
	got := map[string]string{page: read(t, page)}
	entries, err := os.ReadDir(filepath.Join(root, dataFolder))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := dataFolder + "/" + entry.Name()
		got[name] = read(t, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the reference is not current, run: go generate ./modules/reference\n%s", diff)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
