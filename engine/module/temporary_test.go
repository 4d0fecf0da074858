package module_test

import (
	"path"
	"strings"
	"testing"

	"kinit/engine/module"
)

func TestTemporaryNamesAreKnownAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"/etc/hosts", "/etc/.hidden", "/srv/" + strings.Repeat("ä", 120)} {
		once := module.TemporaryName(name)
		twice := module.TemporaryName(once)
		for _, got := range []string{once, twice} {
			if path.Dir(got) != path.Dir(name) || len(path.Base(got)) > 255 {
				t.Errorf("the temporary name of %s is %s", name, got)
			}
			if !module.IsTemporaryName(path.Base(got), name) {
				t.Errorf("%s is not known as a temporary name of %s", got, name)
			}
		}
		if once == module.TemporaryName(name) {
			t.Errorf("the temporary name of %s is the same twice", name)
		}
	}
}

func TestOtherNamesAreNoTemporaryNames(t *testing.T) {
	t.Parallel()
	const token = ".kinit-G6XX6LR6PMRVFLUFPTVRNANOSG"
	for _, entry := range []string{
		"hosts", ".hosts", "hosts" + token, ".other" + token, ".hosts.kinit-backup", ".hosts.kinit-g6xx6lr6pmrvfluf",
		".hosts" + token + "~", token, ".", "..", ".my.hosts" + token,
	} {
		if module.IsTemporaryName(entry, "/etc/hosts") {
			t.Errorf("%s passes as a temporary name of /etc/hosts", entry)
		}
	}
}
