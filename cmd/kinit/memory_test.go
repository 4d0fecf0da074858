//go:build !race

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/transport/transporttest/sshd"
	"kinit/test/executable"
)

// mostMemory is how much memory kinit may take whatever hosts send, in bytes.
const mostMemory = 256 << 20

// flood is a task on a host that has more than can be meant, and what is said of it.
type flood struct{ name, task, says string }

func floods() []flood {
	const key = `"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"`
	const tooLong = "has more than 8 MiB, which is no text that kinit reads or edits"
	program := func(text string) string { return fmt.Sprintf("argv = [\"sh\", \"-c\", %q]", text) }
	return []flood{
		{"lines", `task "command" "x" { ` + program("yes 'a line of a program that talks' | head -c 40000000; yes | head -c 20000000 >&2; exit 3") + "\n}", "ended with code 3"},
		{"one line", `task "command" "x" { ` + program("head -c 60000000 /dev/zero | tr '\\000' x; exit 3") + "\n}", "ended with code 3"},
		{"no end", "task \"command\" \"x\" {\n timeout = \"3s\"\n " + program("yes") + "\n}", "timed out after "},
		{"no end on standard error", "task \"command\" \"x\" {\n timeout = \"3s\"\n " + program("yes >&2") + "\n}", "timed out after "},
		{"a condition", "task \"command\" \"x\" {\n timeout = \"3s\"\n argv = [\"true\"]\n unless = [\"yes\"]\n}", "timed out after "},
		{"line_in_file", "task \"line_in_file\" \"x\" {\n path = \"DIR/big\"\n line = \"a\"\n}", "want at most 8388608 to edit it"},
		{"block_in_file", "task \"block_in_file\" \"x\" {\n path = \"DIR/big\"\n block = \"a\"\n}", "want at most 8388608 to edit it"},
		{"authorized_key", "task \"authorized_key\" \"x\" {\n user = \"root\"\n path = \"DIR/big\"\n key = " + key + "\n}", tooLong},
		{"known_host", "task \"known_host\" \"x\" {\n path = \"DIR/big\"\n name = \"a\"\n key = " + key + "\n}", tooLong},
		{"htpasswd", "task \"htpasswd\" \"x\" {\n path = \"DIR/big\"\n user = \"ann\"\n password = \"correct-horse\"\n}", tooLong},
		{"ssh_key", "task \"ssh_key\" \"x\" {\n path = \"DIR/big\"\n}", ""},
		{"secret", "task \"secret\" \"x\" {\n path = \"DIR/big\"\n}", ""},
		{"copy over it", "task \"copy\" \"x\" {\n dest = \"DIR/over\"\n content = \"a\"\n}", "1 changed"},
		{"a template", "task \"template\" \"x\" {\n dest = \"DIR/over2\"\n source = \"DIR/big\"\n}", ""},
		{"a source", "task \"copy\" \"x\" {\n dest = \"DIR/copied\"\n source = \"DIR/large\"\n}", "1 changed"},
		{"a script", "task \"script\" \"x\" {\n source = \"DIR/big\"\n}", "has more than 32 MiB, which is more than is read at once"},
		{"a file of the playbook", "task \"copy\" \"x\" {\n dest = \"DIR/copied2\"\n content = file(\"DIR/big\")\n}", "has more than 16 MiB, and no such value can be meant"},
		{"a folder", "task \"archive\" \"x\" {\n source = \"DIR/many\"\n dest = \"DIR/many.tar\"\n}", "1 changed"},
		{"HTTP", "task \"http_request\" \"x\" {\n url = \"URL/\"\n read_only = true\n timeout = \"20s\"\n}", ""},
		{"waiting for HTTP", "task \"wait\" \"x\" {\n url = \"URL/\"\n expect = \"never\"\n within = \"2s\"\n}", ""},
		{"an answer in JSON", "task \"podman_volume\" \"x\" {\n name = \"x\"\n}", "it printed more than 8 MiB, which no module reads"},
	}
}

// TestHostsDoNotFillTheMemory runs kinit against programs that print without end, files that
// are too long, folders with many files and servers that send without end, here and over a
// real SSH server, and measures how much memory it took at most.
func TestHostsDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t, "SetEnv PATH="+endless(t)+":/usr/sbin:/usr/bin:/sbin:/bin HOME="+t.TempDir())
	flooding := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, zeros{})
	}))
	t.Cleanup(flooding.Close)
	for _, host := range []string{"localhost", "far"} {
		for _, f := range floods() {
			t.Run(host+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				flooded(t, dir, f.task)
				text := strings.NewReplacer("DIR", dir, "URL", flooding.URL).Replace(f.task)
				text = strings.Replace(text, "{", "{\n host = run.hosts[0]\n", 1)
				put(t, dir, "site.hcl", text+"\n")
				put(t, dir, "hosts.hcl", farHost(server.Port, login(server.User, server.ClientKey, strings.TrimSpace(server.HostKey))))
				program := newMeasuredCommand(context.Background(), dir, "run", "site.hcl", "--hosts", host, "--inventory", "hosts.hcl")
				program.Env = append(program.Env, "PATH="+endless(t)+":"+os.Getenv("PATH"))
				_ = program.Run() // some must fail
				if peak := program.most(t); peak > mostMemory {
					t.Errorf("%d MiB were taken at most, want %d", peak>>20, mostMemory>>20)
				}
				if plain := strings.Join(strings.Fields(program.said.String()), " "); !strings.Contains(plain, f.says) {
					t.Errorf("it does not say %q:\n%.3000s", f.says, program.said.String())
				}
			})
		}
	}
}

// flooded makes the files that a task names and that are too long. Their content is zeros
// that take no disk.
func flooded(t *testing.T, dir, task string) {
	t.Helper()
	for name, size := range map[string]int64{"big": 10 << 30, "over": 10 << 30, "over2": 10 << 30, "large": 300 << 20} {
		if !strings.Contains(task, "DIR/"+name+"\"") {
			continue
		}
		put(t, dir, name, "")
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(task, "DIR/many") {
		return
	}
	if err := os.Mkdir(filepath.Join(dir, "many"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		put(t, filepath.Join(dir, "many"), fmt.Sprintf("%0200d", i), "")
	}
}

// endless is a folder with a podman that never stops to answer.
func endless(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	executable.Write(t, filepath.Join(dir, "podman"), "#!/bin/sh\nexec yes '{'\n")
	return dir
}

// zeros is what a server sends that never stops.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
