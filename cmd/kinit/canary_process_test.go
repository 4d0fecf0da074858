package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/modules"
	"kinit/test/exectrace"
)

// processHosts are the ways to a host, whose names they are.
var processHosts = [...]string{"local", "ssh", "another"}

// TestNoCanaryIsOnACommandLine gives canaries to tasks that hand them to programs: as
// environment, standard input, file, script, password. Every program that starts is
// traced, here, over SSH with the server's own, and as another user: none has a canary
// among its arguments, in its title, or in a name of a file that it makes.
func TestNoCanaryIsOnACommandLine(t *testing.T) {
	t.Parallel()
	sources, functions := canarySources(), canaryFunctions()
	if os.Getenv(everyCanary) == "" {
		functions, sources = functions[:8], []canarySource{sources[0], sources[7]}
	}
	canaries, tried, programs := 0, 0, 0
	for _, source := range sources {
		t.Run(source.name, func(t *testing.T) {
			if exectrace.Inside() {
				useCanaries(t, source, functions)
				return
			}
			events := exectrace.Again(t)
			for _, host := range processHosts { // so that it is known that the hosts' programs are seen
				if !slices.ContainsFunc(events, func(e exectrace.Event) bool {
					return e.Kind == exectrace.Exec && slices.Contains(e.Words, "decoy of "+host)
				}) {
					t.Errorf("on %s nothing was seen of a program with a plain argument", host)
				}
			}
			dir := t.TempDir()
			put(t, dir, "page.tmpl", "value = ${v}\n")
			for _, f := range functions {
				value := plainValue(t, dir, f, source.word)
				if len(value) < 4 {
					continue // not to be told from other text
				}
				canaries++
				tried += unseen(t, events, source.name+" through "+f, value)
			}
			programs += started(events)
		})
	}
	if exectrace.Inside() {
		return
	}
	t.Logf("%d canaries looked for %d times in what %d programs show", canaries, tried, programs)
	if least := canaries * len(processHosts) * 4; programs < least {
		t.Errorf("%d programs were seen, want at least %d", programs, least)
	}
	if os.Getenv(everyCanary) != "" && tried < 20_000 {
		t.Errorf("canaries were looked for %d times, want 20000", tried)
	}
}

// started counts the programs.
func started(events []exectrace.Event) int {
	n := 0
	for _, e := range events {
		if e.Kind == exectrace.Exec {
			n++
		}
	}
	return n
}

// unseen looks for a value in every encoding in what processes show, and returns how many
// combinations of an encoding and a place that was.
func unseen(t *testing.T, events []exectrace.Event, what, value string) int {
	t.Helper()
	places := []string{exectrace.Exec: "the arguments of a program", exectrace.File: "the name of a file", exectrace.Title: "the title of a process"}
	encodings := canaryEncodings(value)
	for encoding, text := range encodings {
		for _, e := range events {
			if slices.ContainsFunc(e.Words, func(word string) bool { return strings.Contains(word, text) }) {
				t.Errorf("%s is in %s, %s: %q", what, places[e.Kind], encoding, e.Words)
				break
			}
		}
	}
	return len(encodings) * len(places)
}

// canaryPrograms gives each expression to programs on all hosts.
func canaryPrograms(source canarySource, exprs []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "variable \"given\" {\n  type      = any\n  sensitive = %v\n}\nlocals {\n  passed = var.given\n}\n", source.name != "function")
	b.WriteString("import \"inner\" {\n  source = \"./inner\"\n  inputs = { word = var.given }\n}\n")
	if source.name == "module" {
		b.WriteString("task \"command\" \"gives\" {\n  argv      = [\"cat\"]\n  stdin     = var.given\n  read_only = true\n  sensitive = true\n}\n")
	}
	for i, expr := range exprs {
		fmt.Fprintf(&b, `
task "command" "e%[1]d" {
  hosts       = run.hosts
  argv        = ["sh", "-c", "printenv WORD >${path.cwd}/${host.name}/environment-%[1]d"]
  environment = { WORD = %[2]s }
}
task "command" "i%[1]d" {
  hosts = run.hosts
  argv  = ["sh", "-c", "cat >${path.cwd}/${host.name}/stdin-%[1]d"]
  stdin = %[2]s
}
task "copy" "c%[1]d" {
  hosts   = run.hosts
  dest    = "${path.cwd}/${host.name}/copy-%[1]d"
  content = %[2]s
}
task "line_in_file" "l%[1]d" {
  hosts  = run.hosts
  path   = "${path.cwd}/${host.name}/line-%[1]d"
  line   = "<${urlencode(%[2]s)}>"
  create = true
}
task "block_in_file" "b%[1]d" {
  hosts  = run.hosts
  path   = "${path.cwd}/${host.name}/block-%[1]d"
  block  = %[2]s
  create = true
}
task "shell" "s%[1]d" {
  hosts    = run.hosts
  commands = "cat >${path.cwd}/${host.name}/shell-%[1]d <<'CANARY'\n${%[2]s}\nCANARY"
}
`, i, expr)
	}
	fmt.Fprintf(&b, "task \"ansible\" \"copy\" {\n  hosts  = run.hosts\n  module = \"ansible.builtin.copy\"\n  args   = { dest = \"${path.cwd}/${host.name}/ansible\", mode = \"0600\", content = %s }\n}\n", exprs[0])
	b.WriteString("task \"command\" \"decoy\" {\n  hosts = run.hosts\n  argv  = [\"true\", \"decoy of ${host.name}\"]\n}\n")
	fmt.Fprintf(&b, "task \"htpasswd\" \"file\" {\n  hosts    = run.hosts\n  path     = \"${path.cwd}/${host.name}/htpasswd\"\n  user     = \"ann\"\n  password = substr(urlencode(%s), 0, 60)\n}\n", exprs[0])
	fmt.Fprintf(&b, `
task "ini_file" "word" {
  hosts  = run.hosts
  path   = "${path.cwd}/${host.name}/settings"
  option = "word"
  value  = urlencode(%[1]s)
  create = true
}
task "replace" "word" {
  hosts       = run.hosts
  path        = task.ini_file.word[host.name].path
  match       = "^word = .*$"
  replacement = "word is ${urlencode(%[1]s)}"
}
`, exprs[0])
	return b.String()
}

// useCanaries runs the playbook of a source, and checks that each canary arrives.
func useCanaries(t *testing.T, source canarySource, functions []string) {
	t.Helper()
	need.Programs(t, "sudo", "sudo")
	need.Programs(t, "ansible", "ansible")
	p := newProgram(t, "run", "site.hcl", "-i", "inventory.hcl", "--hosts", strings.Join(processHosts[:], ","), "--var-file", "given.json", "-v")
	p.Engine.Run, p.Kinds = engine.Run, modules.All
	exprs := giveCanaries(t, p.Cwd, source, functions)
	put(t, p.Cwd, "site.hcl", canaryPrograms(source, exprs))
	server := sshd.Start(t)
	put(t, p.Cwd, "inventory.hcl", "host \"local\" { transport = \"local\" }\n"+anotherAndSSH(server))
	for _, host := range processHosts {
		if err := os.Mkdir(filepath.Join(p.Cwd, host), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	opened(t, p.Cwd)
	if err := os.Chmod(filepath.Join(p.Cwd, "another"), 0o777); err != nil {
		t.Fatal(err)
	}
	if code := p.run(); code != exit.OK {
		t.Fatalf("exit code %d\n%s%s", code, p.out.String(), p.err.String())
	}
	for _, host := range processHosts {
		for i, f := range functions {
			for _, way := range []string{"copy", "line", "block"} {
				info, err := os.Stat(filepath.Join(p.Cwd, fmt.Sprintf("%s/%s-%d", host, way, i)))
				if err != nil || info.Mode() != 0o600 {
					t.Errorf("%s: the file that %s makes is %v, %v, want mode 0600", f, way, info, err)
				}
			}
			word := readFile(t, filepath.Join(p.Cwd, fmt.Sprintf("%s/%s-%d", host, "copy", i)))
			if got := readFile(t, filepath.Join(p.Cwd, host, "ansible")); i == 0 && got != word {
				t.Errorf("%s: what arrives by one of Ansible's modules is %q, as a file it is %q", f, got, word)
			}
			for _, way := range []string{"environment", "stdin", "shell", "block"} {
				if got := readFile(t, filepath.Join(p.Cwd, fmt.Sprintf("%s/%s-%d", host, way, i))); !strings.Contains(got, strings.TrimSuffix(word, "\n")) || word == "" {
					t.Errorf("%s: what arrives as %s is %q, as a file it is %q", f, way, got, word)
				}
			}
		}
	}
}

// opened lets other users enter a folder, and those above it that are the test's.
func opened(t *testing.T, dir string) {
	t.Helper()
	for ; dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
