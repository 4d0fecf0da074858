package inventory

import (
	"strings"
	"testing"
)

func TestSnippetsOfAnInventoryShowNoPassword(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"hosts.ini", `h5 ansible_ssh_pass=Str0ng\!Pa\$$w0rd ansible_port=22`, `h5 ansible_ssh_pass=*** ansible_port=22`},
		{"hosts.ini", `h6 ansible_password="abc" x=1`, `h6 ansible_password=*** x=1`},
		{"hosts.ini", `h7 ansible_password=a,b}c x=1`, `h7 ansible_password=*** x=1`},
		{"hosts.ini", "[all:vars]\nansible_become_pass = two words", "[all:vars]\nansible_become_pass = ***"},
		{"hosts.yml", `    ansible_password: "\x41bcdef"`, `    ansible_password: ***`},
		{"hosts.yml", "api_token: |\n  one\n  two\nport: 1", "api_token: *\n***\n\nport: 1"},
		{"hosts.json", `{"a": {"ansible_password": "ab", "ansible_port": 22}}`, `{"a": {"ansible_password": *** "ansible_port": 22}}`},
		{"hosts.hcl", `password = "abc"`, `password = ***`},
		{"hosts.hcl", `password = env("X")`, `password = env("X")`},
	} {
		shown := withoutSecrets(c.file, []byte(c.text))
		if len(shown) != len(c.text) {
			t.Errorf("%s: %d bytes, want %d", c.text, len(shown), len(c.text))
		}
		if got := collapse(string(shown)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// collapse removes the spaces that follow a mask.
func collapse(text string) string {
	var all []string
	for part := range strings.SplitSeq(text, "\n") {
		first, rest, found := strings.Cut(part, mask)
		if trimmed := strings.TrimLeft(rest, " "); found && trimmed != "" {
			rest = " " + trimmed
		} else if found {
			rest = ""
		}
		if found {
			first += mask
		}
		all = append(all, strings.TrimRight(first+rest, " "))
	}
	return strings.Join(all, "\n")
}
