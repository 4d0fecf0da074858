package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"kinit/engine/need"
	"kinit/test/exectrace"
)

// TestMain lets scripts start the real program, others programs that measure themselves, and
// tests be traced.
func TestMain(m *testing.M) {
	exectrace.Enter()
	testscript.Main(m, map[string]func(){"kinit": main, soakProgram: soaked, measuredProgram: measuredRun})
}

// TestScripts runs the transcripts in testdata/script, each in a home folder of
// its own. With KINIT_UPDATE set it rewrites the files they compare with.
func TestScripts(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, "testdata/script", examples)
}

// TestRemovalScripts runs the transcripts whose machines are mount namespaces.
func TestRemovalScripts(t *testing.T) {
	t.Parallel()
	need.Root(t, "mount namespaces")
	need.Programs(t, "mount namespaces", "unshare", "mount")
	runScripts(t, "testdata/removals", "")
}

func runScripts(t *testing.T, folder, examples string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		UpdateScripts:       os.Getenv("KINIT_UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("EXAMPLES", examples)
			owner := "test-" + strings.ToLower(rand.Text()) // a name that nothing else on this machine has
			e.Setenv("OWNER", owner)
			e.Defer(func() { _ = os.RemoveAll(filepath.Join("/var/lib/kinit/clusters", owner)) })
			return os.MkdirAll(home, 0o755)
		},
	})
}
