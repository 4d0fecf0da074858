package knownhost_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/lines"
	"kinit/modules/internal/roottest"
	"kinit/modules/known_host"
)

// Public keys made by ssh-keygen for these tests, and the first one's fingerprint.
const (
	one   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
	two   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK05VYfIlUARd2VqB3LoMMROgU8lIE3ROqLpNlekIMr/"
	ecdsa = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBNUdr59pb2gzOHBV3Kv6y/JB1XvznJ3dqtiKISeMPxPL9yZzVzOXR4OyemDhNPwzk0GzwJZpNpHprN+3s1WGI20="
	oneID = "SHA256:ZZVxsMXroYSiD1Sa0djuKHesAUv7/L6X2yloh4CR6+M"
	file  = "/etc/ssh/ssh_known_hosts"
)

func task(t *testing.T, host, key, more string) *knownhost.Task {
	t.Helper()
	return moduletest.Decode(t, knownhost.Kind(), fmt.Sprintf("name = %q\nkey = %q\n%s", host, key, more)).(*knownhost.Task)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", "hashed = true", "port = 2222"} {
		roottest.Contract(t, func(owner string) *roottest.Host {
			h := roottest.New(t, owner, "ssh-keygen")
			h.Shell(t, "mkdir -p /etc/ssh; rm -f "+file)
			return h
		}, func() module.Task { return task(t, "git.example", one, more) }, func() module.Task {
			return task(t, "git.example", "", strings.ReplaceAll(more, "hashed = true", "")+"\nstate = \"absent\"")
		}, func(h *roottest.Host) string { return h.Shell(t, "ls "+file+" || true") })
	}
}

func TestSshKeygenFindsTheMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, more, find string }{
		{"git.example", "", "git.example"},
		{"git.example", "hashed = true", "git.example"},
		{"git.example", "port = 2222", "[git.example]:2222"},
		{"2001:db8::1", "", "2001:db8::1"},
		{"2001:db8::1", "port = 2222\nhashed = true", "[2001:db8::1]:2222"},
	} {
		h := roottest.New(t, "", "ssh-keygen")
		h.Put(t, file, "# others\n", module.Attr{})
		made := task(t, c.host, one, c.more)
		moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"trust host key " + oneID + " of " + c.find})
		moduletest.Settle(t, made, h)
		found := h.Shell(t, `ssh-keygen -F "$1" -lf "$2" | grep -v ^#`, c.find, file)
		if !strings.HasSuffix(strings.TrimSpace(found), "ED25519 "+oneID) {
			t.Errorf("%s %s: ssh-keygen finds %q", c.host, c.more, found)
		}
		if hides := !strings.Contains(h.Text(t, file), c.host); hides != strings.Contains(c.more, "hashed") {
			t.Errorf("%s: the name is hidden: %v", c.more, hides)
		}
	}
}

func TestChangedKeyIsReplacedAndComesBack(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "ssh-keygen")
	before := "# others\ngit.example,192.0.2.1 " + two + " old\ngit.example " + ecdsa + "\n@revoked git.example " + two + "\nother.example " + two + "\n"
	h.Put(t, file, before, module.Attr{})
	moduletest.Settle(t, task(t, "git.example", one, ""), h)
	moduletest.Same(t, "file", h.Text(t, file), "# others\n192.0.2.1 "+two+" old\ngit.example "+ecdsa+"\n@revoked git.example "+two+
		"\nother.example "+two+"\ngit.example "+one+"\n")
	moduletest.Settle(t, task(t, "git.example", one, `state = "absent"`), h)
	rest := module.Mark{Kind: "line", ID: file + ": 192.0.2.1 " + two + " old"}
	moduletest.Marks(t, h, rest)
	if err := lines.Undo(t.Context(), h, rest); err != nil {
		t.Fatal(err)
	}
	moduletest.Marks(t, h)
	moduletest.Same(t, "file afterwards", h.Text(t, file), "# others\ngit.example "+ecdsa+"\n@revoked git.example "+two+
		"\nother.example "+two+"\ngit.example,192.0.2.1 "+two+" old\n")
}

func TestHashingReplacesThePlainLine(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "ssh-keygen")
	h.Put(t, file, "git.example "+one+"\n", module.Attr{})
	moduletest.Settle(t, task(t, "git.example", one, "hashed = true"), h)
	if got := h.Text(t, file); !strings.HasPrefix(got, "|1|") || strings.Count(got, "\n") != 1 {
		t.Errorf("file %q", got)
	}
	moduletest.Settle(t, task(t, "git.example", one, ""), h)
	moduletest.Same(t, "file", h.Text(t, file), "git.example "+one+"\n")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ host, key, more, want string }{
		{"*.example", one, "", `name is "*.example", want a name or address without port, such as "git.example"`},
		{"a", one, "port = 0", "port is 0, want 1 to 65535"},
		{"a", "", "", `key is empty, want a public host key, "TYPE DATA"`},
		{"a", "ssh-ed25519 x", "", `key is no public key, want one line "TYPE DATA" as in ssh_host_ed25519_key.pub: ssh-ed25519 x`},
		{"a", one + "\n" + two, "", `key is no public key, want one line "TYPE DATA" as in ssh_host_ed25519_key.pub: ` + one[:40]},
		{"a", one, `path = "known_hosts"`, `path is "known_hosts", want an absolute path`},
	} {
		moduletest.Refused(t, task(t, c.host, c.key, c.more), c.want)
	}
}
