package roottest_test

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/modules/internal/roottest"
)

func TestWhatProgramsChangeIsSeenAndStaysApart(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	before := h.Snapshot()
	h.Shell(t, "useradd kinit-test-apart; hostname kinit-test; mkdir -p /srv/kinit-test; mount -t tmpfs none /srv/kinit-test; echo x >/var/log/kinit-test")
	after := h.Snapshot()
	for _, sign := range []string{"./etc/passwd ", "kinit-test\n", "/srv/kinit-test "} {
		if strings.Contains(before, sign) || !strings.Contains(after, sign) {
			t.Errorf("the snapshots do not tell of %q", sign)
		}
	}
	if strings.Contains(after, "./var/log/kinit-test") {
		t.Error("the snapshot has logs in it")
	}
	if !strings.Contains(h.Text(t, "/etc/passwd"), "kinit-test-apart") {
		t.Error("the files are not those that programs write")
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil || strings.Contains(string(passwd), "kinit-test-apart") {
		t.Fatalf("the machine itself was changed, or %v", err)
	}
	if name, _ := os.Hostname(); name == "kinit-test" {
		t.Fatal("the machine itself has the name")
	}
}

func TestRunKnowsTheFolder(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	out, err := h.Run(t.Context(), module.Command{Argv: []string{"pwd"}, Dir: "/etc"})
	if err != nil || out.Stdout != "/etc\n" {
		t.Errorf("%q, %v, want /etc", out.Stdout, err)
	}
}
