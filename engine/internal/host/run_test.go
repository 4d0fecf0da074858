package host

import (
	"context"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport/transporttest"
)

// machine returns this machine with a manifest folder of its own.
func machine(t *testing.T, redactor *secret.Redactor) *Machine {
	t.Helper()
	settings := Settings{Name: "localhost", Local: true, Manifests: t.TempDir() + "/kinit/clusters"}
	lookup := func(context.Context, string) (Settings, error) { return settings, nil }
	connections := NewConnections(lookup, redactor)
	t.Cleanup(func() { _ = connections.Close() })
	m, err := connections.Get(t.Context(), "localhost")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bind(t *testing.T) module.Host {
	t.Helper()
	return machine(t, &secret.Redactor{}).Bind("", nil)
}

func TestCommandLine(t *testing.T) {
	const plain = `umask 022; export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"; `
	cases := []struct {
		name    string
		command module.Command
		want    string
		env     map[string]string
	}{
		{"a program", module.Command{Argv: []string{"ls"}}, plain + "exec ls", nil},
		{"arguments are quoted", module.Command{Argv: []string{"echo", "a b", "", "$x"}}, plain + "exec echo 'a b' '' '$x'", nil},
		{"the environment is beside the line", module.Command{Argv: []string{"env"}, Env: map[string]string{"B": "b c", "A_1": ""}},
			plain + "exec env", map[string]string{"B": "b c", "A_1": ""}},
		{"but for what the shell itself looks at", module.Command{Argv: []string{"env"}, Env: map[string]string{"PATH": "/a b", "LC_ALL": "C.UTF-8", "LD_PRELOAD": "x"}},
			plain + "export LC_ALL=C.UTF-8; export LD_PRELOAD=x; export PATH='/a b'; exec env", nil},
		{"the host's locale", module.Command{Argv: []string{"ls"}, AsLogin: true}, `export PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"; exec ls`, nil},
		{"a folder", module.Command{Argv: []string{"ls"}, Dir: "/a b"}, plain + "cd '/a b' || exit 126; exec ls", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, env, err := commandLine(c.command)
			if err != nil || got != c.want || !maps.Equal(env, c.env) {
				t.Errorf("got  %s with %q (error %v)\nwant %s with %q", got, env, err, c.want, c.env)
			}
		})
	}
	refused := map[string]module.Command{
		"no program":          {},
		"an empty program":    {Argv: []string{""}},
		"an option":           {Argv: []string{"-rf"}},
		"an injected name":    {Argv: []string{"ls"}, Env: map[string]string{"A;id": "x"}},
		"a name with a digit": {Argv: []string{"ls"}, Env: map[string]string{"1A": "x"}},
		"a zero byte":         {Argv: []string{"ls"}, Env: map[string]string{"A": "x\x00"}},
		"an empty name":       {Argv: []string{"ls"}, Env: map[string]string{"": "x"}},
		"a relative folder":   {Argv: []string{"ls"}, Dir: "etc"},
	}
	for name, command := range refused {
		if line, _, err := commandLine(command); err == nil {
			t.Errorf("%s is accepted: %s", name, line)
		}
	}
}

func TestRunGivesWhatTheProgramPrinted(t *testing.T) {
	h := bind(t)
	out, err := h.Run(t.Context(), module.Command{
		Argv: []string{"sh", "-c", `pwd; echo "$LC_ALL $KINIT"; cat; printf 'no end\000' >&2`},
		Env:  map[string]string{"KINIT": "it's"}, Dir: "/usr", Stdin: strings.NewReader("in\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := module.Output{Stdout: "/usr\nC it's\nin\n", Stderr: "no end\x00", Duration: out.Duration}
	if diff := cmp.Diff(want, out); diff != "" || out.Duration <= 0 {
		t.Errorf("duration %v (-want +got):\n%s", out.Duration, diff)
	}
}

func TestRunPassesNastyArguments(t *testing.T) {
	h := bind(t)
	for _, arg := range transporttest.Nasty() {
		out, err := h.Run(t.Context(), module.Command{Argv: []string{"/usr/bin/printf", "%s.", arg}})
		if err != nil || out.Stdout != arg+"." {
			t.Errorf("%.40q: output %.40q, error %v", arg, out.Stdout, err)
		}
	}
}

func TestRunStartsAtHome(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	out, err := bind(t).Run(t.Context(), module.Command{Argv: []string{"pwd"}})
	if err != nil || out.Stdout != home+"\n" {
		t.Errorf("output %q, error %v", out.Stdout, err)
	}
}

func TestRunReportsLines(t *testing.T) {
	var got []string
	_, err := bind(t).Run(t.Context(), module.Command{
		Argv: []string{"sh", "-c", `printf 'one\r\ntwo\n\nfour'`},
		Line: func(line string) { got = append(got, line) },
	})
	if diff := cmp.Diff([]string{"one", "two", "", "four"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	lines := 0
	_, err = bind(t).Run(t.Context(), module.Command{
		Argv: []string{"sh", "-c", "seq 5000 & seq 5000 >&2; wait"},
		Line: func(string) { lines++ },
	})
	if lines != 10_000 || err != nil {
		t.Errorf("%d lines, error %v", lines, err)
	}
}

func TestRunErrors(t *testing.T) {
	redactor := &secret.Redactor{}
	h := machine(t, redactor).Bind("", nil)
	h.AddSecret("it's secret", "tok3n")
	t.Run("an exit code", func(t *testing.T) {
		out, err := h.Run(t.Context(), module.Command{
			Argv: []string{"sh", "-c", `echo out $1; echo err $1 >&2; exit 3`, "sh", "it's secret"},
		})
		var exit *module.ExitError
		if !errors.As(err, &exit) {
			t.Fatalf("error is %v", err)
		}
		want := &module.ExitError{
			Command: `sh -c 'echo out $1; echo err $1 >&2; exit 3' sh '***'`,
			Code:    3, Stdout: "out ***\n", Stderr: "err ***\n",
		}
		if diff := cmp.Diff(want, exit); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if out.Stdout != "out it's secret\n" {
			t.Errorf("the output %q is not raw", out.Stdout)
		}
	})
	t.Run("a missing program", func(t *testing.T) {
		_, err := h.Run(t.Context(), module.Command{Argv: []string{"no-such-program-tok3n"}})
		var exit *module.ExitError
		if !errors.As(err, &exit) || exit.Code != 127 || strings.Contains(err.Error(), "tok3n") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a long command is cut", func(t *testing.T) {
		_, err := h.Run(t.Context(), module.Command{Argv: []string{"false", strings.Repeat("é", 5000)}})
		if want := "command ended with code 1: false '" + strings.Repeat("é", 496) + " …"; err == nil || err.Error() != want {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a command of several lines is cut after the first", func(t *testing.T) {
		_, err := h.Run(t.Context(), module.Command{Argv: []string{"sh", "-c", "# It fails.\nexit 4\n", "tok3n"}})
		if want := "command ended with code 4: sh -c '# It fails. …"; err == nil || err.Error() != want {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a missing folder", func(t *testing.T) {
		_, err := h.Run(t.Context(), module.Command{Argv: []string{"true"}, Dir: "/no such folder"})
		var exit *module.ExitError
		if !errors.As(err, &exit) || exit.Code != 126 {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := h.Run(ctx, module.Command{Argv: []string{"true", "tok3n"}})
		if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "tok3n") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestReportMasksSecrets(t *testing.T) {
	var got []event.Progress
	h := machine(t, &secret.Redactor{}).Bind("", func(p event.Progress) { got = append(got, p) })
	h.AddSecret("tok3n")
	h.Report(event.Progress{Text: "fetch with tok3n", Done: 1, Total: 2})
	if diff := cmp.Diff([]event.Progress{{Text: "fetch with ***", Done: 1, Total: 2}}, got); diff != "" {
		t.Error(diff)
	}
	bind(t).Report(event.Progress{}) // without a listener
}
