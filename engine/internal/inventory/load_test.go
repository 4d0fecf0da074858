package inventory

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// folder makes files on the disk.
func folder(t *testing.T, files map[string]string) Sources {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Sources{Cwd: dir, Home: filepath.Join(dir, "home"), Builtin: os.DirFS(filepath.Join(dir, "builtin"))}
}

// load reads one inventory's text, which must be right.
func load(t *testing.T, text string) (*Inventory, Sources) {
	t.Helper()
	src := folder(t, map[string]string{"i.hcl": text})
	inv, diags := Load(t.Context(), src, []string{"i.hcl"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return inv, src
}

// vars is values as JSON.
func vars(t *testing.T, values map[string]cty.Value) string {
	value := cty.ObjectVal(values)
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestHostSettings(t *testing.T) {
	t.Parallel()
	inv, src := load(t, `
host "plain" {}
host "full" {
  address        = "192.0.2.1"
  port           = 2222
  user           = "admin"
  via            = "plain"
  become         = true
  identity_file  = "~/.ssh/lab"
  identity_files = ["keys/one", "/abs/two"]
  known_hosts    = "known"
  host_keys      = ["ssh-ed25519 AAAA"]
}
host "win" {
  transport = "winrm"
  user      = "Administrator"
  password  = "pa" == "pa" ? upper("secret") : ""
  become    = "SYSTEM"
}
host "cert" {
  transport   = "winrm"
  auth        = "certificate"
  certificate = "-----BEGIN CERTIFICATE-----"
}
host "sshwin" { os = "windows" }
host "localhost" {}
`)
	want := []Settings{
		{Name: "plain", Address: "plain", Transport: "ssh"},
		{
			Name: "full", Address: "192.0.2.1", Port: 2222, User: "admin", Transport: "ssh", Via: "plain", Become: "root",
			IdentityFiles: []string{src.Home + "/.ssh/lab", src.Cwd + "/keys/one", "/abs/two"},
			KnownHosts:    src.Cwd + "/known", HostKeys: []string{"ssh-ed25519 AAAA"},
		},
		{Name: "win", Address: "win", User: "Administrator", Transport: "winrm", Password: "SECRET", Become: "SYSTEM"},
		{Name: "cert", Address: "cert", Transport: "winrm", Auth: "certificate", Certificate: "-----BEGIN CERTIFICATE-----"},
		{Name: "sshwin", Address: "sshwin", Transport: "ssh", OS: "windows"},
		{Name: "localhost", Address: "localhost", Transport: "local"},
	}
	wantSettings(t, inv, want)
}

// wantSettings compares how the hosts are reached, in their order.
func wantSettings(t *testing.T, inv *Inventory, want []Settings) {
	t.Helper()
	var got []Settings
	for _, h := range inv.Hosts {
		got = append(got, h.Settings)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVarsOfInnerGroupsAndHostsWin(t *testing.T) {
	t.Parallel()
	inv, _ := load(t, `
vars = { version = "1", list = [1] }
group "all_hosts" {
  groups = ["web", "db"]
  vars   = { a = "outer", b = "outer", c = "outer" }
}
group "web" {
  hosts = ["one"]
  vars  = { b = "web", c = "web" }
}
group "db" {
  hosts = ["two"]
}
host "one" {
  vars = { c = "own" }
}
`)
	want := map[string]string{
		"one": `{"a":"outer","b":"web","c":"own"}`,
		"two": `{"a":"outer","b":"outer","c":"outer"}`,
	}
	for name, text := range want {
		if diff := cmp.Diff(text, vars(t, inv.Host(name).Vars)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"all_hosts", "web"}, inv.Host("one").Groups); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{"list":[1],"version":"1"}`, vars(t, inv.Vars)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{"one":{"address":"one","groups":["all_hosts","web"],"name":"one","vars":{"a":"outer","b":"web","c":"own"}}}`,
		vars(t, Value([]*Host{inv.Host("one")}).AsValueMap())); diff != "" {
		t.Error(diff)
	}
}

func TestFilesAreMerged(t *testing.T) {
	t.Parallel()
	src := folder(t, map[string]string{
		"a.hcl":           "vars = { x = 1, y = 1 }\nhost \"one\" {}\ngroup \"g\" {\n  hosts = [\"one\"]\n  vars = { k = 1 }\n}",
		"b.hcl":           "vars = { y = 2 }\ngroup \"g\" {\n  hosts = [\"two\"]\n  vars = { k = 2 }\n}",
		"builtin/lab.hcl": `host "three" {}`,
	})
	inv, diags := Load(t.Context(), src, []string{"a", "b.hcl", "inventories/lab"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diff := cmp.Diff([]string{"one", "three", "two"}, inv.HostNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{"x":1,"y":2}`, vars(t, inv.Vars)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{"k":2}`, vars(t, inv.Host("one").Vars)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"a.hcl", "b.hcl", "builtin:lab.hcl"} {
		if inv.Sources[name] == nil {
			t.Errorf("no source of %s", name)
		}
	}
}

func TestLoadTellsEveryMistakeWithItsPlace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"an unknown block":    {`hots "a" {}`, `i.hcl:1,1-5: Unknown block type: An inventory has no block "hots". Did you mean "host"?`},
		"an unknown argument": {`host "a" { addres = "x" }`, `i.hcl:1,12-18: Unknown argument: A host block has no argument "addres". Did you mean "address"?`},
		"an argument outside": {`user = "x"`, `i.hcl:1,1-5: Unknown argument: An inventory has no argument "user" outside of blocks, only vars.`},
		"no label":            {`host {}`, `i.hcl:1,1-5: Wrong labels: A host block has one label, its name.`},
		"a duplicate":         {"host \"a\" {}\nhost \"a\" {}", `i.hcl:2,1-9: Duplicate host: Host "a" is declared already, at i.hcl:1,1-9.`},
		"a host and a group":  {"host \"a\" {}\ngroup \"a\" {}", `i.hcl:2,1-10: Duplicate name: "a" is a host and a group.`},
		"a bad port":          {`host "a" { port = 70000 }`, `i.hcl:1,19-24: Invalid port: A port is a number from 1 to 65535.`},
		"a bad transport":     {`host "a" { transport = "shh" }`, `i.hcl:1,24-29: Invalid transport: A transport is "ssh", "winrm" or "local". Did you mean "ssh"?`},
		"a bad system":        {`host "a" { os = "Windows" }`, `i.hcl:1,17-26: Invalid os: An operating system is "linux" or "windows". Did you mean "windows"?`},
		"a bad login":         {`group "a" { auth = "ntml" }`, `i.hcl:1,20-26: Invalid auth: A way to log in over WinRM is "basic", "ntlm" or "certificate". Did you mean "ntlm"?`},
		"a near argument":     {`host "a" { certifcate = "x" }`, `i.hcl:1,12-22: Unknown argument: A host block has no argument "certifcate". Did you mean "certificate"?`},
		"a bad pace":          {`group "a" { pace = 0.5 }`, `i.hcl:1,20-23: Invalid pace: Give how many times slower than an ordinary machine the host is, from 1, which leaves limits of time as they are, to 10.`},
		"a bad become":        {`host "a" { become = [] }`, `i.hcl:1,21-23: Invalid become: Give true to become root, or the name of a user.`},
		"vars of no object":   {`host "a" { vars = 1 }`, `i.hcl:1,19-20: Invalid vars: Give an object, as in: vars = { zone = "a" }`},
		"an inner block":      {"host \"a\" {\n  vars {}\n}", `i.hcl:2,3-7: Unknown block type: A host block has no block inside.`},
		"an unknown group":    {"group \"web\" {}\ngroup \"g\" { groups = [\"wbe\"] }", `i.hcl:2,23-28: Unknown group: Group "g" has a group "wbe", which is not declared. Did you mean "web"?`},
		"groups in a cycle":   {"group \"b\" { groups = [\"a\"] }\ngroup \"a\" { groups = [\"b\"] }", `i.hcl:2,23-26: Groups in a cycle: Each of these groups has the next one inside: a, b, a.`},
		"hosts in a cycle":    {"host \"b\" { via = \"a\" }\nhost \"a\" { via = \"b\" }", `i.hcl:2,1-9: Hosts in a cycle: Each of these hosts is reached via the next one: a, b, a.`},
		"a variable":          {`host "a" { address = var.x }`, `i.hcl:1,22-25: Unknown name: There is no "var" here. There is only host.`},
		"no file":             {"", `Inventory not found: There is no inventory file other.hcl.`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := []string{"i.hcl"}
			if test.text == "" {
				files = []string{"other.hcl"}
			}
			_, diags := Load(t.Context(), folder(t, map[string]string{"i.hcl": test.text}), files)
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const farm = `
host "web1" {}
host "web2" {}
host "db1" { address = "192.0.2.9" }
group "web" { hosts = ["web2", "web1"] }
group "data" {
  hosts  = ["db1"]
  groups = ["web"]
}
group "blue" { hosts = ["web1", "db1"] }
`

func TestSelect(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		patterns []string
		want     string
	}{
		"nothing means all":              {nil, "web1 web2 db1"},
		"all":                            {[]string{"all"}, "web1 web2 db1"},
		"a name":                         {[]string{"db1"}, "db1"},
		"the order is that of the list":  {[]string{"web2,db1"}, "web2 db1"},
		"several patterns":               {[]string{"web2", "db1", "web2"}, "web2 db1"},
		"a group":                        {[]string{"web"}, "web2 web1"},
		"a group with a group inside":    {[]string{"data"}, "db1 web2 web1"},
		"a glob of hosts":                {[]string{"web*"}, "web1 web2"},
		"a glob of groups":               {[]string{"blu?"}, "web1 db1"},
		"without one":                    {[]string{"all,!web1"}, "web2 db1"},
		"only what to leave out":         {[]string{"!web"}, "db1"},
		"only those that are in another": {[]string{"web,&blue"}, "web1"},
		"keep and leave":                 {[]string{"data", "&blue", "!db*"}, "web1"},
		"this machine":                   {[]string{"localhost"}, "localhost"},
		"an address":                     {[]string{"192.0.2.77"}, "192.0.2.77"},
		"a name of ~/.ssh/config":        {[]string{"nyctea,tyto"}, "nyctea tyto"},
		"a pattern of ~/.ssh/config":     {[]string{"lab-7"}, "lab-7"},
		"a name of an included file":     {[]string{"asio"}, "asio"},
		"a name that resolves":           {[]string{"resolves"}, "resolves"},
		"spaces":                         {[]string{" web1 , db1,"}, "web1 db1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inv, src := load(t, farm)
			sshConfig(t, src)
			src.Resolves = func(_ context.Context, name string) bool { return name == "resolves" }
			hosts, diags := inv.Select(t.Context(), src, test.patterns)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			var got []string
			for _, h := range hosts {
				got = append(got, h.Name)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func sshConfig(t *testing.T, src Sources) {
	t.Helper()
	dir := filepath.Join(src.Home, ".ssh", "conf.d")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"config":     "# lab\nInclude conf.d/*\nHost nyctea \"tyto\" !never\n  HostName 192.0.2.5\nhost=lab-*\nHost *\n  User root\n",
		"conf.d/one": "Host asio\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(src.Home, ".ssh", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSelectMarksHostsThatNoInventoryHas(t *testing.T) {
	t.Parallel()
	inv, src := load(t, `group "g" { hosts = ["nyctea"] }`)
	sshConfig(t, src)
	hosts, diags := inv.Select(t.Context(), src, []string{"g", "tyto", "localhost"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := []Settings{
		{Name: "nyctea", Address: "nyctea", Transport: "ssh", FromSSHConfig: true},
		{Name: "tyto", Address: "tyto", Transport: "ssh", FromSSHConfig: true},
		{Name: "localhost", Address: "localhost", Transport: "local"},
	}
	var got []Settings
	for _, h := range hosts {
		got = append(got, h.Settings)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSelectTellsOfUnknownHosts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ pattern, want string }{
		"a mistyped host":       {"web3", `--hosts:1,1-5: Unknown host: There is no host "web3" in the inventory or in ~/.ssh/config, and the name has no address. Did you mean "web" or "web1" or "web2"?`},
		"a host in a group":     {"typo", `i.hcl:11,25-32: Unknown host: There is no host "nycta" in the inventory or in ~/.ssh/config, and the name has no address. Did you mean "nyctea"?`},
		"a glob of nothing":     {"x*", `--hosts:1,1-3: Unknown host: There is no host or group "x*" in the inventory or in ~/.ssh/config, and the name has no address.`},
		"a mistyped exception":  {"web,!wbe1", `--hosts:1,5-10: Unknown host: There is no host or group "wbe1" in the inventory or in ~/.ssh/config, and the name has no address. Did you mean "web1"?`},
		"never matches nothing": {"never", `--hosts:1,1-6: Unknown host: There is no host "never" in the inventory or in ~/.ssh/config, and the name has no address.`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inv, src := load(t, farm+`group "typo" { hosts = ["nycta"] }`)
			sshConfig(t, src)
			_, diags := inv.Select(t.Context(), src, []string{test.pattern})
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
