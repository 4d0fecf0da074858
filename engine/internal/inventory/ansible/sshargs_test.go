package ansible

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSSHArguments(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                                      "|",
		"-J gate":                               "gate|",
		"-Jme@gate:2222,other":                  "me@gate:2222,other|",
		"-o ProxyJump=gate":                     "gate|",
		"-oproxyjump=gate":                      "gate|",
		`-o "ProxyJump gate" -C`:                "gate|",
		"-J one -o ProxyJump=two":               "two|",
		"-o ControlMaster=auto -o Loglevel=q":   "|",
		`-o ProxyCommand="ssh -W %h:%p g" -J x`: "|ProxyCommand",
		"-L 80:localhost:80 -o UserKnownHostsFile=/dev/null -J gate": "gate|-L UserKnownHostsFile",
		"-J": "|", "-o": "|", "-o -J gate": "|-J",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			jump, unknown := SSHArguments(text)
			if diff := cmp.Diff(want, jump+"|"+strings.Join(unknown, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
