package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("KINIT_UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("EXAMPLES", examples)
			return os.MkdirAll(home, 0o755)
		},
	})
}
