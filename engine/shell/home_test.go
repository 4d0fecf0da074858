package shell

import "testing"

func TestHomeFolderIsExpandedOnlyAtTheBeginning(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"~": "/home/ann", "~/key": "/home/ann/key", "~/": "/home/ann", "/a/~/b": "/a/~/b", "~bob/key": "~bob/key", "key": "key", "": "",
	} {
		if got := ExpandHome(path, "/home/ann"); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}
