package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/sshd"
)

// home makes a home folder with ~/.ssh/known_hosts, a key for the gate and a config,
// and makes it this process's own.
func home(t *testing.T, gate, target *sshd.Server) string {
	t.Helper()
	folder := t.TempDir()
	config := fmt.Sprintf("Host behind\n  HostName %s\n  Port %d\n  User nobody-at-all\n", target.Host, target.Port)
	for name, text := range map[string]string{
		".ssh/known_hosts": read(t, gate.KnownHosts) + read(t, target.KnownHosts),
		".ssh/id_ed25519":  read(t, gate.ClientKey),
		".ssh/config":      config,
	} {
		write(t, filepath.Join(folder, name), text)
	}
	t.Setenv("HOME", folder)
	t.Setenv("SSH_AUTH_SOCK", "")
	return folder
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAHostOfAnsibleIsReachedAsItsInventorySays goes through a jump host with a port
// and a user to a host whose address is an alias of ~/.ssh/config, against two real
// servers. The inventory's user counts more than the alias's.
func TestAHostOfAnsibleIsReachedAsItsInventorySays(t *testing.T) {
	gate, target := sshd.Start(t), sshd.Start(t)
	cwd := t.TempDir()
	write(t, filepath.Join(cwd, "spec.hcl"), "")
	write(t, filepath.Join(cwd, "hosts"), "[web]\nweb1 ansible_host=behind\n[web:vars]\nansible_user="+target.User+
		"\nansible_ssh_private_key_file="+target.ClientKey+
		fmt.Sprintf("\nansible_ssh_common_args=\"-J %s@%s:%d\"\n", gate.User, gate.Host, gate.Port))
	o := engine.Options{Inputs: engine.Inputs{Spec: "spec.hcl", Cwd: cwd, Inventories: []string{"hosts"}}, Home: home(t, gate, target)}

	var said strings.Builder
	report := engine.Connect(t.Context(), o, "web1", func(conn transport.Conn, _ module.OS, _ []string) error {
		_, err := conn.Exec(t.Context(), transport.Process{Line: "echo $HOME", Stdout: &said})
		return err
	})
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(said.String()); got != target.Dir {
		t.Errorf("reached the server in %q, want the one in %q", got, target.Dir)
	}
	if log := gate.Log(); !strings.Contains(log, "Accepted publickey for "+gate.User) {
		t.Errorf("the jump host saw no login:\n%s", log)
	}
}

func TestAScriptEndsWhenTheRunIsInterrupted(t *testing.T) {
	t.Parallel()
	cwd := t.TempDir()
	script := filepath.Join(cwd, "slow.sh")
	write(t, script, "#!/bin/sh\nsleep 300\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, report := engine.ReadInventory(ctx, engine.Options{Inputs: engine.Inputs{Cwd: cwd, Inventories: []string{"slow.sh"}}, Home: cwd})
	if !report.Interrupted || !report.Invalid {
		t.Errorf("got %+v", report)
	}
}
