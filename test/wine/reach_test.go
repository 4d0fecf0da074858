package wine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kinit/engine/transport"
)

// destroy deletes everything that it can reach: on all drives, and by the path with which Wine reaches files of a
// Unix machine without a drive.
const destroy = `$ErrorActionPreference = 'SilentlyContinue'
$roots = @('\\?\unix\var\tmp', '\\?\unix\tmp', '\\?\unix\home', '\\?\unix\root', '\\?\unix\dev\shm') + @(foreach ($letter in [char[]] (67..90)) { "${letter}:\" })
foreach ($root in $roots) {
    try {
        foreach ($path in [IO.Directory]::EnumerateFileSystemEntries($root)) {
            try { [IO.Directory]::Delete($path, $true) } catch { }
            try { [IO.File]::Delete($path) } catch { }
        }
    } catch { }
    try { Get-ChildItem -LiteralPath $root -Force | Remove-Item -Recurse -Force } catch { }
}
`

// testReach ends the machine: what can be deleted on its drive is. The file outside is even the user's own.
func testReach(t *testing.T, m *machine, conn transport.Conn) {
	outside, err := os.MkdirTemp("/var/tmp", "kinit-wine-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(outside) })
	must(t, os.Chmod(outside, 0o777))
	victim, own := filepath.Join(outside, "victim"), m.path(`C:\victim`)
	for _, file := range []string{victim, own} {
		must(t, os.WriteFile(file, []byte("x"), 0o666))
		must(t, errors.Join(os.Chmod(file, 0o666), os.Chown(file, user, user)))
	}
	said := run(t, conn, destroy, "")
	if _, err := os.Stat(own); !os.IsNotExist(err) {
		t.Errorf("the script deletes nothing: %v: %s", err, said.errors)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "x" {
		t.Errorf("a file outside the prefix, that every user may change, has %q now: %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv(variable), "pwsh.exe")); err != nil {
		t.Errorf("the folder with PowerShell: %v", err)
	}
}
