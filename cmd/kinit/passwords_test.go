package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kinit/cmd/kinit/exit"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/engine/transport/transporttest/sudohost"
)

// answer is a question on the terminal and what the user types.
type answer struct{ question, text string }

// person is a user of this machine with a home folder, who runs the program on a terminal.
type person struct {
	home, work string
	env        []string
	stderr     *os.File // the terminal when nil
}

func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{home: t.TempDir(), work: t.TempDir()}
	for _, dir := range []string{p.home, p.work, filepath.Join(p.home, ".ssh")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(os.Environ(), "HOME="+p.home, "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "SSH_AUTH_SOCK=", "TERM=xterm", "NO_COLOR=1")
	return p
}

// write writes a file below the home folder, or below the working folder.
func (p *person) write(t *testing.T, path, text string) string {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.work, path)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// kinit runs the program on a terminal, answers questions, and returns what the terminal shows.
func (p *person) kinit(t *testing.T, answers []answer, args ...string) (shown string, code int) {
	t.Helper()
	master, slave := terminalPair(t)
	cmd := &exec.Cmd{Path: os.Args[0], Args: append([]string{"kinit"}, args...), Dir: p.work, Env: p.env, Stdin: slave, Stdout: slave, Stderr: cmp.Or(p.stderr, slave)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	defer master.Close()
	killer := time.AfterFunc(4*time.Minute, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	var text strings.Builder
	seen, buffer := 0, make([]byte, 4096)
	for {
		n, err := master.Read(buffer)
		text.Write(buffer[:n])
		if len(answers) > 0 {
			if i := strings.Index(text.String()[seen:], answers[0].question); i >= 0 {
				seen += i + len(answers[0].question)
				time.Sleep(100 * time.Millisecond) // until echo is off
				_, _ = master.WriteString(answers[0].text + "\n")
				answers = answers[1:]
			}
		}
		if err != nil {
			break // the program has ended
		}
	}
	_ = cmd.Wait()
	if len(answers) > 0 {
		t.Errorf("kinit %s did not ask %q:\n%s", strings.Join(args, " "), answers[0].question, text.String())
	}
	return strings.ReplaceAll(text.String(), "\r", ""), cmd.ProcessState.ExitCode()
}

// must is kinit with an exit code of 0.
func (p *person) must(t *testing.T, answers []answer, args ...string) string {
	t.Helper()
	shown, code := p.kinit(t, answers, args...)
	if code != exit.OK {
		t.Fatalf("kinit %s: exit code %d\n%s", strings.Join(args, " "), code, shown)
	}
	return shown
}

// piped runs the program without a terminal.
func (p *person) piped(args ...string) (shown string, code int) {
	cmd := &exec.Cmd{Path: os.Args[0], Args: append([]string{"kinit"}, args...), Dir: p.work, Env: p.env}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func terminalPair(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})
	}
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// agent starts an ssh-agent and adds a key that has a passphrase.
func (p *person) agent(t *testing.T, key, passphrase string) {
	t.Helper()
	socket := sshd.Agent(t)
	ask := p.write(t, filepath.Join(filepath.Dir(socket), "ask"), "#!/bin/sh\necho '"+passphrase+"'\n")
	if err := os.Chmod(ask, 0o700); err != nil {
		t.Fatal(err)
	}
	add := exec.Command("ssh-add", "-q", key)
	add.Env = append(p.env, "SSH_AUTH_SOCK="+socket, "SSH_ASKPASS="+ask, "SSH_ASKPASS_REQUIRE=force")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v: %s", err, out)
	}
	p.env = append(p.env, "SSH_AUTH_SOCK="+socket)
}

// lockedKey makes a key with a passphrase, ~/.ssh/id_ed25519.
func (p *person) lockedKey(t *testing.T, passphrase string) (file, public string) {
	t.Helper()
	file = filepath.Join(p.home, ".ssh/id_ed25519")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
	return file, readFile(t, file+".pub")
}

// firstHour returns the playbook of docs/first-hour.md that begins with a comment.
func firstHour(t *testing.T, name string) string {
	t.Helper()
	page := readFile(t, "../../docs/first-hour.md")
	_, text, found := strings.Cut(page, "```hcl\n# "+name+"\n")
	if !found {
		t.Fatalf("docs/first-hour.md has no %s", name)
	}
	text, _, _ = strings.Cut(text, "```")
	return text
}

// becomeHere runs the program on a machine as a user who becomes root there.
func becomeHere(t *testing.T, h *sudohost.Host) {
	t.Helper()
	h.Run(t, "mkdir -m 0755 /opt/kinit-test; cp "+os.Args[0]+" /opt/kinit-test/kinit; cd /opt/kinit-test; printf %s '"+strings.ReplaceAll(sudohost.Password, "'", `'\''`)+"' >password; chown "+sudohost.User+" password; chmod 0600 password")
	as := "cd /opt/kinit-test; env -i PATH=$PATH HOME=/home/" + sudohost.User + " setsid -w setpriv --reuid " + sudohost.User + " --regid " + sudohost.User + " --init-groups ./kinit do localhost "
	for _, method := range []string{"", "Defaults requiretty\n"} {
		h.Sudoers(t, method+"Defaults timestamp_timeout=0")
		out := h.Run(t, as+"copy dest=/root/here content=text --become --become-password-file password; stat -c %U /root/here; rm /root/here")
		if !strings.HasSuffix(out, "\nroot\n") {
			t.Errorf("it shows\n%s", out)
		}
	}
	if out := h.Run(t, as+"command argv=true --become || true"); !strings.Contains(out, "If it needs a password, give that by --ask-become-pass") {
		t.Errorf("it shows\n%s", out)
	}
}

const askSudo = "Password for sudo on the hosts: "

// TestFirstHourOnUbuntuWithItsDefaults follows docs/first-hour.md on a host whose sudo asks for a password, behind a jump
// host of ~/.ssh/config, with a key that has a passphrase and is in an agent.
func TestFirstHourOnUbuntuWithItsDefaults(t *testing.T) {
	t.Parallel()
	need.Programs(t, "sshd", "ssh-agent", "ssh-add", "ssh-keygen")
	host, gate, p := sudohost.Start(t), sshd.Start(t), newPerson(t)
	key, public := p.lockedKey(t, "a passphrase")
	p.agent(t, key, "a passphrase")
	host.Run(t, "cat >>/home/"+sudohost.User+"/.ssh/authorized_keys <<'END'\n"+public+"END\n")
	if err := os.WriteFile(gate.ClientKey+".pub", []byte(public), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, filepath.Join(p.home, ".ssh/known_hosts"), readFile(t, host.KnownHosts)+readFile(t, gate.KnownHosts))
	p.write(t, filepath.Join(p.home, ".ssh/config"), fmt.Sprintf("Host bastion\n HostName 127.0.0.1\n Port %d\n User %s\nHost web1\n HostName 127.0.0.1\n Port %d\n User %s\n ProxyJump bastion\n",
		gate.Port, gate.User, host.Port, sudohost.User))
	p.write(t, "inventory.hcl", "group \"web\" {\n  hosts  = [\"web1\"]\n  become = true\n}\n")
	// The host has no network for packages: jq is what the test installs.
	host.Run(t, "command -v jq >/dev/null || { printf '#!/bin/sh\\nsed -n \"s/.*port\\\\\": \\\\([0-9]*\\\\).*/\\\\1/p\" \"$2\"\\n' >/usr/bin/jq; chmod 755 /usr/bin/jq; }")
	site := regexp.MustCompile(`(?s)task "package" "tools" \{.*?\n\}\n`).ReplaceAllString(firstHour(t, "site.hcl"), "")
	p.write(t, "site.hcl", strings.ReplaceAll(site, "task.package.tools, ", ""))

	password := []answer{{askSudo, sudohost.Password}}
	if shown := p.must(t, password, "facts", "web", "--filter", "os_id,user*", "--ask-become-pass"); !strings.Contains(shown, "os_id") {
		t.Errorf("the facts are\n%s", shown)
	}
	p.must(t, password, "do", "web", "copy", "dest=/etc/motd", "content=Welcome.", "-K")
	p.must(t, password, "run", "site.hcl", "-K")
	if got := host.Run(t, "cat /etc/hello/hello.json; stat -c %U /etc/hello/hello.json; cat /etc/motd"); got != "{\"port\": 8080, \"host\": \"web1\"}\nroot\nWelcome." {
		t.Errorf("the host has %q", got)
	}
	shown := p.must(t, password, "run", "site.hcl", "-K", "-v")
	if !strings.Contains(shown, "0 changed") {
		t.Errorf("the second run shows\n%s", shown)
	}
	if shown, code := p.kinit(t, password, "plan", "site.hcl", "-K"); code != exit.OK {
		t.Errorf("the plan has exit code %d:\n%s", code, shown)
	}
	if shown, code := p.kinit(t, []answer{{askSudo, "a wrong password"}}, "run", "site.hcl", "-K"); code != exit.Failed || !strings.Contains(shown, "sudo on web1 refused the password of kinit-ubuntu") || !strings.Contains(shown, "unreachable=0") || strings.Contains(shown, "SFTP") {
		t.Errorf("with a wrong password: exit code %d\n%s", code, shown)
	}
	p.hasNowhere(t, sudohost.Password)
}

// hasNowhere checks that no file of the user has the text.
func (p *person) hasNowhere(t *testing.T, text string) {
	t.Helper()
	for _, folder := range []string{p.home, p.work} {
		if err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			if strings.Contains(readFile(t, path), text) {
				t.Errorf("%s has the password", path)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestAskingForAPasswordWithoutATerminalNamesTheOtherWays(t *testing.T) {
	t.Parallel()
	shown, code := newPerson(t).piped("do", "localhost", "command", "argv=true", "--ask-become-pass")
	if want := "--ask-become-pass needs a terminal, and kinit has none: give the password by --become-password-file, by $KINIT_BECOME_PASSWORD, or by become_password in the inventory"; code != exit.Usage || !strings.Contains(shown, want) {
		t.Errorf("exit code %d: %s", code, shown)
	}
}

func TestBecomePasswordComesFromManyPlaces(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	h.Sudoers(t, "Defaults timestamp_timeout=0")
	p := newPerson(t)
	plain := fmt.Sprintf("address = \"127.0.0.1\"\n port = %d\n user = %q\n host_keys = [%q]\n identity_file = %q\n become = true\n", h.Port, h.User, strings.TrimSpace(h.HostKey), h.ClientKey)
	p.write(t, "plain.hcl", "host \"web1\" {\n "+plain+"}\n")
	p.write(t, "own.hcl", "host \"web1\" {\n "+plain+" become_password = trimspace(file(\"password\"))\n}\n")
	p.write(t, "wrong.hcl", "host \"web1\" {\n "+plain+" become_password = \"another-word\"\n}\n")
	p.write(t, "known_hosts", readFile(t, h.KnownHosts))
	ini := fmt.Sprintf("web1 ansible_host=127.0.0.1 ansible_port=%d ansible_user=%s ansible_ssh_private_key_file=%s ansible_become=true ansible_ssh_common_args='-o UserKnownHostsFile=%s'\n[all:vars]\n", h.Port, h.User, h.ClientKey, filepath.Join(p.work, "known_hosts"))
	p.write(t, "hosts.ini", ini+"ansible_become_password="+strings.ReplaceAll(sudohost.Password, ";", "\\;")+"\n")
	p.write(t, "hosts.yml", fmt.Sprintf("all:\n  hosts:\n    web1: {ansible_host: 127.0.0.1, ansible_port: %d, ansible_user: %s, ansible_ssh_private_key_file: %s, ansible_become: true, ansible_become_pass: %q, ansible_ssh_common_args: '-o UserKnownHostsFile=%s'}\n",
		h.Port, h.User, h.ClientKey, sudohost.Password, filepath.Join(p.work, "known_hosts")))
	p.write(t, "password", sudohost.Password+"\n")
	program := p.write(t, "program", "#!/bin/sh\necho \"$0 was called\" >&2\ncat "+filepath.Join(p.work, "password")+"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  string
		args []string
		code int
	}{
		"a file":                            {args: []string{"-i", "plain.hcl", "--become-password-file", "password"}},
		"a program":                         {args: []string{"-i", "plain.hcl", "--become-password-file", "program"}},
		"the environment":                   {args: []string{"-i", "plain.hcl"}, env: "KINIT_BECOME_PASSWORD=" + sudohost.Password},
		"a file of the environment":         {args: []string{"-i", "plain.hcl"}, env: "KINIT_BECOME_PASSWORD_FILE=" + program},
		"an inventory in HCL":               {args: []string{"-i", "own.hcl"}},
		"an inventory in YAML":              {args: []string{"-i", "hosts.yml"}},
		"the inventory before the file":     {args: []string{"-i", "wrong.hcl", "--become-password-file", "password"}, code: exit.Failed},
		"the flag before the environment":   {args: []string{"-i", "plain.hcl", "--become-password-file", "password"}, env: "KINIT_BECOME_PASSWORD=another-word"},
		"no password":                       {args: []string{"-i", "plain.hcl"}, code: exit.Failed},
		"a wrong password, then the answer": {args: []string{"-i", "plain.hcl"}, env: "KINIT_BECOME_PASSWORD=another-word", code: exit.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			own := *p
			if c.env != "" {
				own.env = append(append([]string{}, p.env...), c.env)
			}
			shown, code := own.piped(append([]string{"do", "web1", "command", "argv=[\"id\", \"-un\"]", "read_only=true", "-v"}, c.args...)...)
			if code != c.code || code == exit.OK && !strings.Contains(shown, "root") || strings.Contains(shown, "another-word") {
				t.Errorf("exit code %d, want %d:\n%s", code, c.code, shown)
			}
		})
	}
	t.Run("a secret of the playbook", func(t *testing.T) {
		p.write(t, "site.hcl", fmt.Sprintf(`secret "sudo" {
  kind = "password"
  host = "localhost"
  path = %q
}
host "web1" {
  address         = "127.0.0.1"
  port            = %d
  user            = %q
  host_keys       = [%q]
  private_key     = file(%q)
  become          = true
  become_password = secret.sudo
}
task "command" "who" {
  host      = "web1"
  argv      = ["id", "-un"]
  read_only = true
}
task "assert" "root" {
  host = "localhost"
  condition {
    holds   = trimspace(task.command.who.stdout) == "root"
    message = "it is another user"
  }
}
`, filepath.Join(p.work, "generated"), h.Port, h.User, strings.TrimSpace(h.HostKey), h.ClientKey))
		if shown, code := p.piped("run", "site.hcl"); code != exit.Failed || !strings.Contains(shown, "sudo on web1 refused the password of kinit-ubuntu") {
			t.Errorf("with the password of before: exit code %d:\n%s", code, shown)
		}
		generated := strings.TrimSpace(readFile(t, filepath.Join(p.work, "generated")))
		h.SetPassword(t, h.User, generated)
		defer h.SetPassword(t, h.User, sudohost.Password)
		if shown, code := p.piped("run", "site.hcl"); code != exit.OK || strings.Contains(shown, generated) {
			t.Errorf("exit code %d:\n%s", code, shown)
		}
	})
	t.Run("on this machine", func(t *testing.T) { becomeHere(t, h) })
	if _, err := os.Stat(filepath.Join(p.home, ".local")); errors.Is(err, os.ErrNotExist) {
		t.Error("there are no logs to look at")
	}
	_ = os.Remove(filepath.Join(p.work, "password"))
	for _, name := range []string{"hosts.ini", "hosts.yml"} {
		_ = os.Remove(filepath.Join(p.work, name))
	}
	p.hasNowhere(t, sudohost.Password)
}

func TestTerminalAsksForTheLoginAndForPassphrases(t *testing.T) {
	t.Parallel()
	h, p := sudohost.Start(t, "PasswordAuthentication yes"), newPerson(t)
	key, public := p.lockedKey(t, "a passphrase")
	host := fmt.Sprintf("host \"web1\" {\n address = \"127.0.0.1\"\n port = %d\n user = %q\n host_keys = [%q]\n become = true\n}\n", h.Port, h.User, strings.TrimSpace(h.HostKey))
	p.write(t, "inventory.hcl", host)
	who := []string{"do", "web1", "command", "argv=[\"id\", \"-un\"]", "read_only=true", "-v", "-K"}
	login := []answer{{"Password to log in to the hosts: ", sudohost.Password}, {askSudo, sudohost.Password}}
	if shown := p.must(t, login, append(who, "--ask-pass")...); !strings.Contains(shown, "root") {
		t.Errorf("it shows\n%s", shown)
	}
	login[0].text = "not this one"
	if shown, code := p.kinit(t, login, append(who, "-k")...); code != exit.Unreachable || !strings.Contains(shown, "the password was refused") {
		t.Errorf("with a wrong password: exit code %d\n%s", code, shown)
	}
	h.Run(t, "cat >>/home/"+sudohost.User+"/.ssh/authorized_keys <<'END'\n"+public+"END\n")
	locked := []answer{{askSudo, sudohost.Password}, {"Passphrase for " + key + ":", "a passphrase"}}
	if shown := p.must(t, locked, who...); !strings.Contains(shown, "root") {
		t.Errorf("it shows\n%s", shown)
	}
	p.hasNowhere(t, sudohost.Password)
	p.hasNowhere(t, "a passphrase")
}

func TestAnsibleVaultPasswordsComeFromManyPlaces(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ansible", "ansible-vault")
	p := newPerson(t)
	if err := os.Mkdir(filepath.Join(p.work, "host_vars"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(t, "hosts", "a\n")
	p.write(t, "host_vars/a.yml", "word: hidden-in-the-vault\n")
	file := p.write(t, "file", "vault password\n")
	program := p.write(t, "program", "#!/bin/sh\necho vault password\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	encrypt := exec.Command("ansible-vault", "encrypt", "--vault-id", "prod@file", "host_vars/a.yml")
	encrypt.Dir = p.work
	if out, err := encrypt.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	show := []string{"inventory", "vars", "a", "-i", "hosts"}
	decrypted := func(shown string, code int) bool {
		return code == exit.OK && strings.Contains(shown, "word") && !strings.Contains(shown, "hidden-in-the-vault") && !strings.Contains(shown, "Encrypted variable")
	}
	for _, args := range [][]string{{"--vault-password-file", "file"}, {"--vault-password-file", "program"}, {"--vault-id", "prod@file"}, {"--vault-id", "other@hosts", "--vault-id", "prod@program"}} {
		if shown, code := p.piped(append(show, args...)...); !decrypted(shown, code) {
			t.Errorf("%v: exit code %d\n%s", args, code, shown)
		}
	}
	for _, variable := range []string{"ANSIBLE_VAULT_PASSWORD_FILE=" + file, "ANSIBLE_VAULT_IDENTITY_LIST=other@hosts, prod@" + program} {
		own := *p
		own.env = append(append([]string{}, p.env...), variable)
		if shown, code := own.piped(show...); !decrypted(shown, code) {
			t.Errorf("%s: exit code %d\n%s", variable, code, shown)
		}
	}
	for label, args := range map[string][]string{"default": {"--ask-vault-pass"}, "prod": {"--vault-id", "prod@prompt"}} {
		if shown, code := p.kinit(t, []answer{{"Password of the vault " + label + ": ", "vault password"}}, append(show, args...)...); !decrypted(shown, code) {
			t.Errorf("%v: exit code %d\n%s", args, code, shown)
		}
	}
	own := *p
	var err error
	if own.stderr, err = os.Create(filepath.Join(p.work, "errors")); err != nil {
		t.Fatal(err)
	}
	defer own.stderr.Close()
	if shown, code := own.kinit(t, []answer{{"Password of the vault default: ", "vault password"}}, append(show, "--ask-vault-pass")...); !decrypted(shown, code) {
		t.Errorf("with other standard errors: exit code %d\n%s", code, shown)
	}
	p.write(t, "hosts", "a ansible_connection=local\n")
	p.write(t, "site.hcl", `stage "all" {}
stage "cleanup" {}
task "assert" "word" {
  stage = "all"
  hosts = run.hosts
  condition {
    holds   = host.vars.word == "hidden-in-the-vault"
    message = "the word is another one"
  }
}
`)
	p.write(t, "ci.hcl", "job \"site\" {\n  spec        = \"site.hcl\"\n  inventories = [\"hosts\"]\n}\n")
	if shown, code := p.piped("ci", "run", "ci.hcl", "--vault-password-file", "file"); code != exit.OK {
		t.Errorf("kinit ci run: exit code %d\n%s", code, shown)
	}
	if shown, _ := p.piped(append(show, "--ask-vault-pass")...); !strings.Contains(shown, "must be typed on a terminal, and kinit has none: give --vault-password-file") {
		t.Errorf("without a terminal it shows\n%s", shown)
	}
	if shown, _ := p.piped(show...); !strings.Contains(shown, "Give its password by --vault-password-file") {
		t.Errorf("without a password it shows\n%s", shown)
	}
}
