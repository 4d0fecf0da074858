package ansible

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadSSHArguments(t *testing.T) {
	t.Parallel()
	tests := map[string]SSHArguments{
		"":                           {},
		"-J gate":                    {Jump: "gate"},
		"-Jme@gate:2222,other":       {Jump: "me@gate:2222,other"},
		"-o ProxyJump=gate":          {Jump: "gate"},
		"-oproxyjump=gate":           {Jump: "gate"},
		`-o "ProxyJump gate" -C`:     {Jump: "gate"},
		"-J one -o ProxyJump=two":    {Jump: "two"},
		"-F /etc/vagrant -i ~/.k -4": {File: "/etc/vagrant", Options: []string{"IdentityFile=~/.k", "AddressFamily=inet"}},
		"-o ControlMaster=auto -o LogLevel=QUIET":  {Options: []string{"ControlMaster=auto", "LogLevel=QUIET"}},
		`-o ProxyCommand="ssh -W %h:%p -q g" -J x`: {Jump: "x", Options: []string{"ProxyCommand=ssh -W %h:%p -q g"}},
		`-o 'ProxyCommand ssh -W "%h:%p" g'`:       {Options: []string{`ProxyCommand=ssh -W "%h:%p" g`}},
		"-L 80:localhost:80 -o UserKnownHostsFile=/dev/null -J gate": {
			Jump: "gate", Options: []string{"UserKnownHostsFile=/dev/null"}, Unknown: []string{"-L"},
		},
		"-o StrictHostKeyChecking=no -p 2222": {Options: []string{"Port=2222"}, Unknown: []string{"StrictHostKeyChecking=no"}},
		"-J":                                  {},
		"-o":                                  {},
		"-o nosuch":                           {Unknown: []string{"nosuch"}},
		"web1":                                {Unknown: []string{"web1"}},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := ReadSSHArguments(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := ReadSSHArguments(`-o "ProxyJump gate`); err == nil {
		t.Error("a line with an open quote has no error")
	}
}
