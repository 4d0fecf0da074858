package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"golang.org/x/tools/txtar"

	"kinit/engine/internal/vault"
	"kinit/engine/need"
	"kinit/engine/secret"
)

// TestAnsibleInventoriesAreReadAsAnsibleReadsThem compares with what
// "ansible-inventory --list" of Ansible 2.14.18 printed of the same files: the
// variables of every host, and the hosts and children of every group. Each archive
// has that in ansible.json, and in options the inventories, one a line.
func TestAnsibleInventoriesAreReadAsAnsibleReadsThem(t *testing.T) {
	t.Parallel()
	archives(t, "ansible", func(t *testing.T, _ string, a *txtar.Archive) {
		dir := unpack(t, a.Files)
		src := Sources{Cwd: dir, Home: dir, Environ: os.Environ()}
		inv, diags := Load(t.Context(), src, strings.Fields(content(a, "options")))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(content(a, "ansible.json")), &want); err != nil {
			t.Fatal(err)
		}
		var meta struct {
			Hostvars map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(want["_meta"], &meta); err != nil {
			t.Fatal(err)
		}
		delete(want, "_meta")
		if diff := cmp.Diff(compact(t, meta.Hostvars), hostVarsOf(t, inv)); diff != "" {
			t.Errorf("variables (-Ansible +kinit):\n%s", diff)
		}
		if diff := cmp.Diff(groupsOf(t, want), allGroups(inv)); diff != "" {
			t.Errorf("groups (-Ansible +kinit):\n%s", diff)
		}
	})
}

// compact is variables as JSON with the numbers as HCL writes them.
func compact(t *testing.T, hosts map[string]map[string]json.RawMessage) map[string]map[string]string {
	all := map[string]map[string]string{}
	for host, vars := range hosts {
		all[host] = map[string]string{}
		for name, text := range vars {
			kind, err := ctyjson.ImpliedType(text)
			if err != nil {
				t.Fatal(err)
			}
			value, err := ctyjson.Unmarshal(text, kind)
			if err != nil {
				t.Fatal(err)
			}
			all[host][name] = asJSON(t, value)
		}
	}
	return all
}

func asJSON(t *testing.T, value cty.Value) string {
	t.Helper()
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hostVarsOf is the variables of the hosts that have any.
func hostVarsOf(t *testing.T, inv *Inventory) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, h := range inv.Hosts {
		for name, value := range h.Vars {
			if all[h.Name] == nil {
				all[h.Name] = map[string]string{}
			}
			all[h.Name][name] = asJSON(t, value)
		}
	}
	return all
}

// parts is what a group has, sorted.
type parts struct{ Hosts, Children []string }

func groupsOf(t *testing.T, listing map[string]json.RawMessage) map[string]parts {
	all := map[string]parts{}
	for name, text := range listing {
		var p parts
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		slices.Sort(p.Hosts)
		slices.Sort(p.Children)
		if len(p.Hosts)+len(p.Children) > 0 && name != "all" {
			all[name] = p
		}
	}
	return all
}

func allGroups(inv *Inventory) map[string]parts {
	all := map[string]parts{}
	for _, g := range append(slices.Clone(inv.Groups), inv.group("ungrouped")) {
		p := parts{slices.Clone(g.Hosts), slices.Clone(g.Groups)}
		slices.Sort(p.Hosts)
		slices.Sort(p.Children)
		if len(p.Hosts)+len(p.Children) > 0 {
			all[g.Name] = p
		}
	}
	return all
}

// TestScriptsRunOnce counts how often a script runs.
func TestScriptsRunOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ list, want string }{
		"with the variables of hosts":    {`{"web": ["a", "b"], "_meta": {"hostvars": {}}}`, "--list\n"},
		"without the variables of hosts": {`{"web": ["a", "b"]}`, "--list\n--host a\n--host b\n"},
		"a _meta without hostvars":       {`{"web": ["a"], "_meta": {}}`, "--list\n--host a\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/calls\"\n[ \"$GREETING\" = hello ] || exit 1\n[ $1 = --host ] && echo '{}' && exit\ncat <<END\n" + test.list + "\nEND\n"
			dir := unpack(t, []txtar.File{{Name: "s", Data: []byte(script)}})
			_, diags := Load(t.Context(), Sources{Cwd: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "GREETING=hello"}}, []string{"s"})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			calls, err := os.ReadFile(filepath.Join(dir, "calls"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(calls)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnsibleVaultIsDecryptedAndItsValuesAreSecret(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ansible", "ansible-vault")
	src := folder(t, map[string]string{
		"hosts": "a\nb\n", "one": "first password", "two": "second password",
		"host_vars/a.yml": "town: Heidelberg-in-summer\nport_of_it: 12345\n", "group_vars/all.yml": "plain: text\n",
	})
	run := func(args ...string) string {
		cmd := exec.Command("ansible-vault", args...)
		cmd.Dir = src.Cwd
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	run("encrypt", "--vault-password-file", "one", "host_vars/a.yml")
	inline := run("encrypt_string", "--vault-id", "prod@two", "--encrypt-vault-id", "prod", "--name", "word", "a-word-in-the-vault")
	if err := os.WriteFile(filepath.Join(src.Cwd, "group_vars/all.yml"), []byte("plain: text\nansible_become_password: "+strings.TrimPrefix(inline, "word: ")+"\n"+inline), 0o600); err != nil {
		t.Fatal(err)
	}
	identity := func(label, password string) vault.Identity {
		return vault.Identity{Label: label, Password: func(context.Context) (secret.Value, error) { return secret.Value(password), nil }}
	}
	src.Vault = vault.New([]vault.Identity{identity("default", "first password"), identity("prod", "second password")})
	inv, diags := Load(t.Context(), src, []string{"hosts"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	a := inv.Host("a")
	if len(a.Problems) > 0 || a.BecomePassword != "a-word-in-the-vault" {
		t.Errorf("problems %v, password %q", a.Problems, a.BecomePassword.Reveal())
	}
	if got := vars(t, a.Vars); got != `{"ansible_become_password":"a-word-in-the-vault","plain":"text","port_of_it":12345,"town":"Heidelberg-in-summer","word":"a-word-in-the-vault"}` {
		t.Errorf("variables %s", got)
	}
	for _, text := range []string{"Heidelberg-in-summer", "12345", "a-word-in-the-vault"} {
		if !slices.Contains(inv.Secrets(), text) {
			t.Errorf("%s is no secret", text)
		}
	}
	value := a.Value().GetAttr("vars")
	for name, marked := range map[string]bool{"town": true, "port_of_it": true, "word": true, "plain": false} {
		if value.GetAttr(name).IsMarked() != marked {
			t.Errorf("%s is marked: %v, want %v", name, !marked, marked)
		}
	}

	src.Vault = vault.New([]vault.Identity{identity("default", "first password")})
	inv, diags = Load(t.Context(), src, []string{"hosts"})
	if len(diags) > 0 || !strings.Contains(inv.Host("b").Problems.Error(), "The value of word is encrypted by Ansible Vault and cannot be decrypted: none of the passwords (default) opens it.") {
		t.Errorf("diagnostics %v, problems %v", diags, inv.Host("b").Problems)
	}
}

func TestInventoryThatIsEncryptedAsAWholeAndJSONValuesAreDecrypted(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ansible", "ansible-vault")
	src := folder(t, map[string]string{
		"one": "first password", "hosts": "[web]\na ansible_host=192.0.2.7 word=Heidelberg-in-summer\n[web:vars]\nport_of_it=12345\n",
		"hosts.yml": "all: {hosts: {b: {word: Mannheim-in-winter}}}\n", "text": "a-word-in-the-vault", "broken.yml": "all: [\n",
	})
	run := func(args ...string) {
		cmd := exec.Command("ansible-vault", append(args, "--vault-password-file", "one")...)
		cmd.Dir = src.Cwd
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	for _, file := range []string{"hosts", "hosts.yml", "text", "broken.yml"} {
		run("encrypt", file)
	}
	text, err := os.ReadFile(filepath.Join(src.Cwd, "text"))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(map[string]any{"all": map[string]any{"hosts": map[string]any{"c": map[string]any{"word": map[string]any{"__ansible_vault": string(text)}, "plain": "text"}}}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]any{"_meta": map[string]any{"hostvars": map[string]any{"d": map[string]any{"word": map[string]any{"__ansible_vault": string(text)}}}}, "all": map[string]any{"hosts": []string{"d"}}})
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncat <<'EOF'\n" + string(list) + "\nEOF\n"
	if err := errors.Join(os.WriteFile(filepath.Join(src.Cwd, "hosts.json"), encoded, 0o600), os.WriteFile(filepath.Join(src.Cwd, "script"), []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	src.Vault = vault.New([]vault.Identity{{Label: "default", Password: func(context.Context) (secret.Value, error) { return "first password", nil }}})
	inv, diags := Load(t.Context(), src, []string{"hosts", "hosts.yml", "hosts.json", "script"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for host, want := range map[string]string{
		"a": `{"ansible_host":"192.0.2.7","port_of_it":12345,"word":"Heidelberg-in-summer"}`, "b": `{"word":"Mannheim-in-winter"}`,
		"c": `{"plain":"text","word":"a-word-in-the-vault"}`, "d": `{"word":"a-word-in-the-vault"}`,
	} {
		if got := vars(t, inv.Host(host).Vars); got != want || len(inv.Host(host).Problems) > 0 {
			t.Errorf("%s: variables %s, problems %v", host, got, inv.Host(host).Problems)
		}
	}
	for _, text := range []string{"Heidelberg-in-summer", "Mannheim-in-winter", "12345", "a-word-in-the-vault"} {
		if !slices.Contains(inv.Secrets(), text) {
			t.Errorf("%s is no secret", text)
		}
	}
	if slices.Contains(inv.Secrets(), "text") {
		t.Error("a plain value is a secret")
	}

	_, diags = Load(t.Context(), src, []string{"broken.yml"})
	if !strings.Contains(diags.Err().Error(), "The decrypted text has a mistake: look at it with ansible-vault view.") {
		t.Errorf("a mistake: %v", diags)
	}
	for want, keys := range map[string]*vault.Keys{
		"no password was given": nil, "none of the passwords (other) opens it": vault.New([]vault.Identity{{Label: "other", Password: func(context.Context) (secret.Value, error) { return "wrong", nil }}}),
	} {
		src.Vault = keys
		_, diags = Load(t.Context(), src, []string{"hosts"})
		if want := "This file is encrypted by Ansible Vault: " + want + ". Give its password by --vault-id or --vault-password-file."; !strings.Contains(diags.Err().Error(), want) {
			t.Errorf("%v, want %s", diags, want)
		}
	}
}
