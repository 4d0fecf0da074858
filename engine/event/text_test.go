package event

import "testing"

func TestAddressWithoutKeysIsThatOfTheBlock(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		`task.copy.conf`:                                        `task.copy.conf`,
		`task.copy.conf["web1"]`:                                `task.copy.conf`,
		`task.copy.conf["web1"]["a.b]"]`:                        `task.copy.conf`,
		`handler.command.reload["web1", "web.flush1"]`:          `handler.command.reload`,
		`import.web["shop"].import.db.task.copy.conf["a\"[\\"]`: `import.web.import.db.task.copy.conf`,
	} {
		if got := WithoutKeys(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
