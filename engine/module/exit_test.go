package module

import "testing"

func TestExitErrorSaysFirstWhatTheCommandSaidLast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  ExitError
		want string
	}{
		"one line": {
			ExitError{Command: "ping x", Code: 2, Stderr: "no such host\n", Stdout: "PING\n"},
			"command ended with code 2: no such host\n$ ping x\nstandard output:\nPING",
		},
		"several lines": {
			ExitError{Command: "make", Code: 2, Stderr: "a.c: oops\nstop\n"},
			"command ended with code 2: stop\n$ make\na.c: oops\nstop",
		},
		"standard output where standard error is empty": {
			ExitError{Command: "test.sh", Code: 1, Stdout: "1 failed\n"},
			"command ended with code 1: 1 failed\n$ test.sh",
		},
		"silent": {ExitError{Command: "false", Code: 1}, "command ended with code 1: false"},
		"a script is shown by its first line and its arguments": {
			ExitError{Command: "sh -c '# Fails when not.\nexit 1\n' name 80", Code: 1, Stderr: "in use: 80"},
			"command ended with code 1: in use: 80\n$ sh -c '# Fails when not. … ' name 80",
		},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
