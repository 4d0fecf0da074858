package wine

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/transport"
	"kinit/test/winsim/process"
)

// source is a script of kinit.
func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	must(t, err)
	return string(text)
}

// given puts a value before a script, in a variable.
func given(t *testing.T, variable string, value any, script string) string {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return fmt.Sprintf("$%s = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('%s')) | ConvertFrom-Json\n%s",
		variable, base64.StdEncoding.EncodeToString(text), script)
}

// testHosts changes hosts files, whose other lines keep every byte.
func testHosts(t *testing.T, m *machine, conn transport.Conn) {
	file := m.path(`C:\windows\system32\drivers\etc\hosts`)
	arguments := map[string]string{"cluster": "c1", "line": "10.0.0.1 api.c1"}
	change := given(t, "Arguments", arguments, source(t, "specs/drivers/host/files/windows-hosts.ps1"))
	there := given(t, "Arguments", arguments, source(t, "specs/drivers/host/files/windows-hosts-there.ps1"))
	const mine = "10.0.0.1 api.c1 # kinit c1\r\n"
	for i, c := range []struct{ name, before, after string }{
		{"no line end at the end, Latin 1", "# gr\xfc\xdf\n1.2.3.4 x", mine + "# gr\xfc\xdf\n1.2.3.4 x"},
		{"a byte order mark", "\xef\xbb\xbf# grüß €\r\n", "\xef\xbb\xbf" + mine + "# grüß €\r\n"},
		{"the line of an earlier run is last, without a line end", "1.1.1.1 a\r\n9.9.9.9 old # kinit c1", mine + "1.1.1.1 a\r\n"},
		{"the line of another cluster", "8.8.8.8 x # kinit c10\r\n", mine + "8.8.8.8 x # kinit c10\r\n"},
	} {
		if !all() && i > 0 {
			return
		}
		t.Run(c.name, func(t *testing.T) {
			must(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must(t, os.WriteFile(file, []byte(c.before), 0o666))
			must(t, os.Chown(file, user, user))
			before, changed, after := run(t, conn, there, ""), run(t, conn, change, ""), run(t, conn, there, "")
			codes := []int{before.code, changed.code, after.code}
			if got, err := os.ReadFile(file); err != nil || string(got) != c.after || fmt.Sprint(codes) != "[1 0 0]" {
				t.Errorf("codes %v, error %v, the file is %q, want %q: %s", codes, err, got, c.after, changed.errors)
			}
		})
	}
}

// testLocks lets two runs contend for a lock.
func testLocks(t *testing.T, m *machine, conn transport.Conn) {
	script := source(t, "engine/internal/lock/scripts/lock.ps1")
	const folder = "C:/ProgramData/kinit test/locks"
	do := func(op, token string) string {
		t.Helper()
		got := run(t, conn, given(t, "lock", map[string]any{
			"op": op, "folder": folder, "owner": "site ü", "token": token, "run": "R" + token, "lifetime": 60000, "dead": "", "away": 0,
		}, script), "")
		if got.code != 0 {
			t.Errorf("%s by %s ends with %d: %s", op, token, got.code, got.errors)
		}
		return first(got.out)
	}
	for _, step := range []struct{ op, token, want string }{
		{"renew", "1", "lost"},
		{"take", "1", "taken"},
		{"take", "2", "held"},
		{"renew", "1", "renewed"},
		{"renew", "2", "lost"},
		{"release", "2", ""},
		{"renew", "1", "renewed"},
		{"release", "1", ""},
	} {
		if got := do(step.op, step.token); got != step.want {
			t.Errorf("%s by %s says %q, want %q", step.op, step.token, got, step.want)
		}
	}
	if _, err := os.Stat(m.path(folder + "/site ü")); !os.IsNotExist(err) {
		t.Errorf("a lock that was released left its folder: %v", err)
	}
}

// testPorts waits for a port of IPv6.
func testPorts(t *testing.T, conn transport.Conn) {
	script := given(t, "Arguments", map[string]any{"address": "::1", "port": 7000},
		"$listener = [Net.Sockets.TcpListener]::new([Net.IPAddress]::IPv6Loopback, 7000)\n$listener.Start()\n& {\n"+source(t, "modules/win_wait/port.ps1")+"} | ConvertTo-Json -Compress")
	if got := run(t, conn, script, ""); !strings.Contains(got.out, `"done":true`) {
		t.Errorf("code %d, output %s, errors %s", got.code, got.out, got.errors)
	}
}

// testContents sends the content of a file that only administrators may read, which must arrive whole.
func testContents(t *testing.T, m *machine, conn transport.Conn) {
	const content = "a\x00é\r\n"
	file := m.path("C:/private.txt")
	must(t, os.WriteFile(file, []byte("old"), 0o644))
	must(t, os.Chown(file, user, user))
	script := given(t, "Arguments", map[string]any{
		"path": "C:/private.txt", "temporary": "C:/private.new", "size": len(content), "sha256": fmt.Sprintf("%X", sha256.Sum256([]byte(content))),
	}, source(t, "modules/internal/wincontent/put.ps1"))
	for _, c := range []struct {
		name, input, left string
		code              int
	}{
		{"input that ends early leaves the old file", content[:3], "old", 1},
		{"a whole one replaces it", content, content, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(t, conn, script, c.input)
			if text, err := os.ReadFile(file); err != nil || string(text) != c.left || got.code != c.code {
				t.Errorf("code %d, error %v, the file is %q, want code %d and %q: %s", got.code, err, text, c.code, c.left, got.errors)
			}
			if _, err := os.Stat(m.path("C:/private.new")); !os.IsNotExist(err) {
				t.Errorf("the temporary file: %v", err)
			}
		})
	}
}

// testFirstLogin starts a script of the answer CD as Windows does at the first login. A command that is a function of a
// module fails in it, and sees global preferences alone.
func testFirstLogin(t *testing.T, m *machine) {
	for name, text := range map[string]string{
		"kinit-common.ps1": source(t, "modules/internal/wincd/scripts/kinit-common.ps1"),
		"kinit-test.ps1":   ". (Join-Path $PSScriptRoot 'kinit-common.ps1')\n'before'\nGet-NetFirewallRule -Name none\n'after'\n",
	} {
		must(t, os.WriteFile(m.path("C:/"+name), []byte(text), 0o644))
	}
	var out, errors bytes.Buffer
	code, err := m.start(t.Context(), `powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "(Get-PSDrive -PSProvider FileSystem).Root`+
		` | ForEach-Object { $_ + 'kinit-test.ps1' } | Where-Object { Test-Path $_ } | Select-Object -First 1 | ForEach-Object { & $_ }; exit $LASTEXITCODE"`,
		process.Command{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errors})
	if err != nil || code != 1 || out.String() != "before\r\n" {
		t.Errorf("code %d, error %v, output %q, errors %s", code, err, out.String(), errors.String())
	}
}
