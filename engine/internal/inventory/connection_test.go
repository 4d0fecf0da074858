package inventory

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/secret"
)

// loadHosts reads one of Ansible's INI files, which must be right.
func loadHosts(t *testing.T, text string) (*Inventory, Sources) {
	t.Helper()
	src := folder(t, map[string]string{"hosts": text})
	inv, diags := Load(t.Context(), src, []string{"hosts"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return inv, src
}

func TestVariablesOfAnsibleSayHowHostsAreReached(t *testing.T) {
	t.Parallel()
	inv, src := loadHosts(t, `
plain
full:2222 ansible_host=192.0.2.1 ansible_user=admin ansible_ssh_private_key_file=~/.ssh/lab ansible_become=yes ansible_become_method=sudo
old ansible_ssh_host=192.0.2.2 ansible_ssh_port="2200" ansible_ssh_user=root ansible_private_key_file=keys/old
other ansible_become=True ansible_become_user=postgres ansible_connection=ansible.builtin.ssh
no ansible_become=false ansible_become_user=postgres
here ansible_connection=local
localhost
six ansible_host=2001:db8::1
empty ansible_user= ansible_host=None
[web]
w1 ansible_port=2024
w2
[web:vars]
ansible_port=2023
ansible_password=gr0up-s3cr3t
ansible_connection=smart
`)
	ssh := func(s Settings) Settings {
		s.Transport, s.FromSSHConfig = "ssh", true
		return s
	}
	want := []Settings{
		ssh(Settings{Name: "plain", Address: "plain"}),
		ssh(Settings{Name: "full", Address: "192.0.2.1", Port: 2222, User: "admin", IdentityFiles: []string{src.Home + "/.ssh/lab"}, Become: "root", BecomeMethod: "sudo"}),
		ssh(Settings{Name: "old", Address: "192.0.2.2", Port: 2200, User: "root", IdentityFiles: []string{src.Cwd + "/keys/old"}}),
		ssh(Settings{Name: "other", Address: "other", Become: "postgres"}),
		ssh(Settings{Name: "no", Address: "no"}),
		{Name: "here", Address: "here", Transport: "local"},
		{Name: "localhost", Address: "localhost", Transport: "local"},
		ssh(Settings{Name: "six", Address: "2001:db8::1"}),
		ssh(Settings{Name: "empty", Address: "empty"}),
		ssh(Settings{Name: "w1", Address: "w1", Port: 2024, Password: secret.Value("gr0up-s3cr3t")}),
		ssh(Settings{Name: "w2", Address: "w2", Port: 2023, Password: secret.Value("gr0up-s3cr3t")}),
	}
	wantSettings(t, inv, want)
}

func TestVariablesOfAnsibleSayHowWindowsIsReached(t *testing.T) {
	t.Parallel()
	text := `
https ansible_connection=winrm ansible_user=admin ansible_password=s3cr3t
psrp ansible_connection=ansible.builtin.psrp ansible_psrp_auth=ntlm ansible_psrp_protocol=http
http ansible_connection=winrm ansible_port=5985
list ansible_connection=winrm ansible_winrm_transport="kerberos,ntlm,basic"
both ansible_connection=winrm ansible_winrm_transport=ntlm ansible_winrm_scheme=https
cert ansible_connection=winrm ansible_winrm_transport=certificate ansible_winrm_cert_pem=c.pem ansible_winrm_cert_key_pem=k.pem
ca ansible_connection=winrm ansible_winrm_ca_trust_path=ca.pem
blind ansible_connection=winrm ansible_winrm_server_cert_validation=ignore
ssh ansible_shell_type=powershell
`
	src := folder(t, map[string]string{"hosts": text, "ca.pem": "the authority"})
	inv, diags := Load(t.Context(), src, []string{"hosts"})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	winrm := func(name string, s Settings) Settings {
		s.Name, s.Address, s.Transport, s.OS = name, name, "winrm", "windows"
		return s
	}
	want := []Settings{
		winrm("https", Settings{User: "admin", Password: "s3cr3t"}),
		winrm("psrp", Settings{Auth: "ntlm"}),
		winrm("http", Settings{Auth: "ntlm", Port: 5985}),
		winrm("list", Settings{Auth: "ntlm"}),
		winrm("both", Settings{Auth: "basic"}),
		winrm("cert", Settings{Auth: "certificate", IdentityFiles: []string{src.Cwd + "/c.pem", src.Cwd + "/k.pem"}}),
		winrm("ca", Settings{Certificate: "the authority"}),
		winrm("blind", Settings{}),
		{Name: "ssh", Address: "ssh", Transport: "ssh", OS: "windows", FromSSHConfig: true},
	}
	var got []Settings
	var problems []string
	for _, h := range inv.Hosts {
		got = append(got, h.Settings)
		for _, d := range h.Problems {
			problems = append(problems, h.Name+": "+d.Summary+": "+d.Detail)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantProblems := []string{
		"both: Setting not used: kinit logs in by ntlm over HTTP, where it seals each message, and over HTTPS by basic: it does the latter.",
		"blind: Setting not used: kinit verifies the certificate of every host. Where no authority has signed it that this machine trusts, give the certificate by ansible_winrm_ca_trust_path.",
	}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Error(diff)
	}
}

func TestAnHCLBlockWinsOverVariablesOfAnsible(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"hosts", "i.hcl"}, {"i.hcl", "hosts"}} {
		src := folder(t, map[string]string{
			"hosts": "[web]\na ansible_user=ansible ansible_port=2222\n",
			"i.hcl": "host \"a\" {\n  user = \"hcl\"\n}\n",
		})
		inv, diags := Load(t.Context(), src, order)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		want := Settings{Name: "a", Address: "a", Port: 2222, User: "hcl", Transport: "ssh"}
		if diff := cmp.Diff(want, inv.Host("a").Settings); diff != "" {
			t.Errorf("%v: %s", order, diff)
		}
		if diff := cmp.Diff([]string{"web"}, inv.Host("a").Groups); diff != "" {
			t.Errorf("%v: %s", order, diff)
		}
	}
}

func TestJumpsBecomeHosts(t *testing.T) {
	t.Parallel()
	inv, _ := loadHosts(t, `
plain ansible_ssh_common_args="-o ProxyJump=gate"
user ansible_ssh_common_args="-J admin@gate:2222"
chain ansible_ssh_extra_args="-oProxyJump=admin@gate:2222,root@inner"
known ansible_ssh_common_args='-o "ProxyJump gate2"'
other ansible_ssh_common_args="-J me@gate2"
gate2 ansible_host=192.0.2.9 ansible_user=jump ansible_ssh_common_args="-J me@gate2"
tuned ansible_ssh_args="-C -o ControlMaster=auto -o ControlPersist=60s -o ServerAliveInterval=30"
none ansible_ssh_common_args="-J none"
six ansible_ssh_common_args="-J me@[2001:db8::1]:23"
uri ansible_ssh_common_args="-J ssh://me@gate2"
`)
	via := map[string]string{}
	for _, h := range inv.Hosts {
		via[h.Name] = h.Via
	}
	wantVia := map[string]string{
		"plain": "gate", "user": "admin@gate:2222", "chain": "admin@gate:2222,root@inner", "known": "gate2", "other": "me@gate2",
		"gate2": "", "tuned": "", "none": "", "six": "me@[2001:db8::1]:23", "uri": "ssh://me@gate2",
	}
	if diff := cmp.Diff(wantVia, via); diff != "" {
		t.Error(diff)
	}
	want := map[string]Settings{
		"admin@gate:2222":            {Name: "admin@gate:2222", Address: "gate", Port: 2222, User: "admin", Transport: "ssh", FromSSHConfig: true},
		"admin@gate:2222,root@inner": {Name: "admin@gate:2222,root@inner", Address: "inner", User: "root", Transport: "ssh", Via: "admin@gate:2222", FromSSHConfig: true},
		"me@gate2":                   {Name: "me@gate2", Address: "192.0.2.9", User: "me", Transport: "ssh", FromSSHConfig: true},
		"ssh://me@gate2":             {Name: "ssh://me@gate2", Address: "192.0.2.9", User: "me", Transport: "ssh", FromSSHConfig: true},
		"me@[2001:db8::1]:23":        {Name: "me@[2001:db8::1]:23", Address: "2001:db8::1", Port: 23, User: "me", Transport: "ssh", FromSSHConfig: true},
		"gate":                       {Name: "gate", Address: "gate", Transport: "ssh", FromSSHConfig: true},
	}
	got := map[string]Settings{}
	for name, h := range inv.hosts {
		if !slices.Contains(inv.Hosts, h) {
			got[name] = h.Settings
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAHostOutsideTheInventoryMayHaveAWay(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Settings{
		"web":                  {Address: "web"},
		"me@web:2222":          {Address: "web", User: "me", Port: 2222},
		"gate,me@web":          {Address: "web", User: "me", Via: "gate"},
		"a@g1,ssh://g2:22,web": {Address: "web", Via: "a@g1,ssh://g2:22"},
		"[2001:db8::1]:23":     {Address: "2001:db8::1", Port: 23},
		"2001:db8::1":          {Address: "2001:db8::1"},
		"web:http":             {Address: "web:http"},
	} {
		want.Name, want.Transport, want.FromSSHConfig = name, SSH, true
		if diff := cmp.Diff(want, Outside(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAnAddressMayHaveBrackets(t *testing.T) {
	t.Parallel()
	inv, _ := loadHosts(t, "six ansible_host=\"[::1]\" ansible_port=22064\n")
	if got := inv.Host("six").Address; got != "::1" {
		t.Errorf("the address is %q", got)
	}
}

func TestArgumentsOfSSHAreKept(t *testing.T) {
	t.Parallel()
	inv, _ := loadHosts(t, `a ansible_ssh_args="-o Port=1" ansible_ssh_common_args="-F /vagrant -o ProxyCommand='nc %h %p' -J none" ansible_ssh_extra_args="-o Port=2"`+"\n")
	want := Settings{
		Name: "a", Address: "a", Transport: SSH, FromSSHConfig: true, SSHConfig: "/vagrant",
		SSHOptions: []string{"Port=1", "ProxyCommand=nc %h %p", "ProxyJump=none", "Port=2"},
	}
	if diff := cmp.Diff(want, inv.Host("a").Settings); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsAreFoundByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"password": true, "db_password": true, "DB-Passwd": true, "ansible_ssh_pass": true, "api_token": true, "client_secret": true, "api_key": true, "tls_private_key": true,
		"secret_name": false, "ansible_ssh_private_key_file": false, "key": false, "bypass": false, "tokens": false, "": false, "ssh_key": false,
	} {
		if got := IsSecret(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	src := folder(t, map[string]string{
		"hosts":            "a db_password=one ansible_ssh_pass=two port=80\n",
		"host_vars/a.yml":  "users: [{name: x, password: three}]\nvault_secret: {left: four, right: [five, 6]}\nis_token: true\n",
		"i.hcl":            "vars = { registry_token = \"seven\" }\nhost \"b\" { password = \"eight\" }\n",
		"group_vars/b.yml": "x: 1\n",
	})
	inv, diags := Load(t.Context(), src, []string{"hosts", "i.hcl"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if diff := cmp.Diff("6 eight five four one seven three two", strings.TrimSpace(strings.Join(inv.Secrets(), " "))); diff != "" {
		t.Error(diff)
	}
}

// The line with a mistake is shown, so nothing of a secret on it may be left.
func TestNothingIsLeftOfSecretsInTextsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"list.hcl":      "host \"a\" {\n  password = [ \"S3cret-one\", \"S3cret-two\" ]\n}\n",
		"lines.hcl":     "host \"a\" {\n  password = [\n    \"S3cret-one\",\n    \"S3cret-two\",\n  ]\n}\n",
		"object.hcl":    "host \"a\" {\n  password = { user = \"S3cret-one\" }\n}\n",
		"inner.hcl":     "host \"a\" {\n  vars = { db_password = [\"S3cret-one\", \"S3cret-two\"], zone = nothing }\n}\n",
		"misspelt.hcl":  "host \"a\" {\n  pasword = \"S3cret-one\"\n}\n",
		"misspelt2.hcl": "host \"a\" {\n  pasword = [\n    \"S3cret-one\",\n  ]\n}\n",
		"quotes.hcl":    "host \"a\" {\n  password = \"S3cret-\\\"one and S3cret-two\"\n",
		"call.hcl":      "host \"a\" {\n  password = nothing(\"S3cret-one S3cret-two\")\n}\n",
		"words.yml":     "all:\n  vars: {x: [}\n  db_password: S3cret-one S3cret-two\n",
		"open":          "[all:vars]\ndb_password = \"S3cret-one S3cret-two\nb c\n",
	} {
		src := folder(t, map[string]string{name: text})
		inv, diags := Load(t.Context(), src, []string{name})
		if !diags.HasErrors() {
			t.Errorf("%s is valid", name)
		}
		var redactor secret.Redactor
		redactor.Add(inv.Secrets()...)
		for line := range strings.Lines(text) {
			if shown := redactor.Redact(line); strings.Contains(shown, "S3cret") || strings.Contains(shown, "one and") {
				t.Errorf("%s: shown as %s", name, shown)
			}
		}
	}
}

func TestSecretsOfTextsThatCannotBeReadAreFoundToo(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"hosts":      "a ansible_password=s3cr3t port 80\n",
		"hosts2":     "a ansible_password=\"s3cr3t\n",
		"hosts3":     "a ansible_password = 's3cr3t'\n",
		"hosts.yml":  "all:\n  vars: {x: [}\n  db_password: s3cr3t\n",
		"hosts.json": "{\"all\": {\"vars\": {\"api_token\": \"s3cr3t\"",
		"i.hcl":      "host \"a\" {\n  password = \"s3cr3t\n}\n",
	} {
		src := folder(t, map[string]string{name: text})
		inv, diags := Load(t.Context(), src, []string{name})
		if !diags.HasErrors() || !slices.Contains(inv.Secrets(), "s3cr3t") {
			t.Errorf("%s: found %q beside %v", name, inv.Secrets(), diags)
		}
	}
}
