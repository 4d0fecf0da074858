package connection

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/sshd"
)

// sshLab is real servers with keys and certificates, and an agent, to connect to with ssh and with kinit.
type sshLab struct {
	target    *sshd.Server // accepts right, locked and rsa
	gate      *sshd.Server // accepts right
	certified *sshd.Server // shows a host certificate and accepts certificates of users alone
	dir       string
	user      *user.User
	agent     string // the socket of an agent with eight wrong keys, then locked and agentcert
	logged    [3]int // how much of each server's log is known
}

func newSSHLab(t *testing.T) *sshLab {
	t.Helper()
	need.Programs(t, "sshd", "ssh", "ssh-agent", "ssh-add", "ssh-keygen")
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	l := &sshLab{dir: t.TempDir(), user: u}
	for _, name := range []string{"userca", "hostca", "certhost", "otherca", "right", "cert", "agentcert", "wrong1", "wrong2"} {
		sshd.Keygen(t, l.path(name))
	}
	l.run(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", l.path("locked"))
	l.run(t, "ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", l.path("rsa"))
	l.run(t, "ssh-keygen", "-q", "-s", l.path("hostca"), "-h", "-I", "host", "-n", "127.0.0.1,certified.example", "-V", "+1d", l.path("certhost.pub"))
	for _, name := range []string{"cert", "agentcert"} {
		l.run(t, "ssh-keygen", "-q", "-s", l.path("userca"), "-I", name, "-n", u.Username, "-V", "+1d", l.path(name+".pub"))
	}
	l.copy(t, "cert-cert.pub", "elsewhere-cert.pub")
	l.copy(t, "cert", "bare")
	l.copy(t, "cert.pub", "bare.pub")
	l.copy(t, "locked.pub", "only.pub")
	l.write(t, "authorized", l.read(t, "right.pub")+l.read(t, "locked.pub")+l.read(t, "rsa.pub"))
	l.target = sshd.Start(t, "LogLevel DEBUG1", "AuthorizedKeysFile "+l.path("authorized"))
	l.gate = sshd.Start(t, "LogLevel DEBUG1", "AuthorizedKeysFile "+l.path("authorized"))
	l.certified = sshd.Start(t, "LogLevel DEBUG1", "AuthorizedKeysFile none", "TrustedUserCAKeys "+l.path("userca.pub"),
		"HostKey "+l.path("certhost"), "HostCertificate "+l.path("certhost-cert.pub"))
	l.write(t, "known", strings.Join([]string{
		name(l.target) + " " + l.target.HostKey, name(l.gate) + " " + l.gate.HostKey,
		"@cert-authority 127.0.0.1,certified.example " + l.read(t, "hostca.pub"),
	}, "\n"))
	l.startAgent(t)
	return l
}

// name is a server's in known_hosts.
func name(s *sshd.Server) string { return "[" + s.Host + "]:" + strconv.Itoa(s.Port) }

func (l *sshLab) path(name string) string { return filepath.Join(l.dir, name) }

func (l *sshLab) run(t *testing.T, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
}

func (l *sshLab) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(l.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (l *sshLab) write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return l.path(name)
}

func (l *sshLab) copy(t *testing.T, from, to string) { l.write(t, to, l.read(t, from)) }

// startAgent starts an agent whose last keys are the right ones, behind more wrong ones than a server has patience for.
func (l *sshLab) startAgent(t *testing.T) {
	t.Helper()
	l.agent = sshd.Agent(t)
	t.Setenv("SSH_AUTH_SOCK", l.agent)
	ask := l.write(t, "askpass", "#!/bin/sh\necho secret\n")
	if err := os.Chmod(ask, 0o700); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for i := range 8 {
		keys = append(keys, sshd.Keygen(t, l.path("agent"+strconv.Itoa(i))))
	}
	add := exec.Command("ssh-add", append(append([]string{"-q"}, keys...), l.path("locked"), l.path("agentcert"))...)
	add.Env = append(os.Environ(), "SSH_ASKPASS="+ask, "SSH_ASKPASS_REQUIRE=force")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v: %s", err, out)
	}
}

// ssh runs a command on the host alpha by a configuration.
func (l *sshLab) ssh(ctx context.Context, config string) error {
	cmd := exec.CommandContext(ctx, "ssh", "-F", config, "-o", "BatchMode=yes", "-o", "UpdateHostKeys=no", "alpha", "true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &sshError{err, string(out)}
	}
	return nil
}

type sshError struct {
	error
	said string
}

func (e *sshError) Error() string { return e.error.Error() + ": " + e.said }

// kinit connects to the host alpha by a configuration.
func (l *sshLab) kinit(ctx context.Context, config string) error {
	resolver := NewResolver(Options{Home: l.user.HomeDir, Environ: os.Environ(), Forks: 2})
	connections := host.NewConnections(func(ctx context.Context, name string) (host.Settings, error) {
		settings := inventory.Outside(name)
		settings.SSHConfig = config
		return resolver.Settings(ctx, settings)
	}, nil)
	_, err := connections.Get(ctx, "alpha")
	if closing := connections.Close(); err == nil {
		err = closing
	}
	return err
}

var offeredKey = regexp.MustCompile(`userauth_pubkey: publickey (?:test|have) [^ ]+ ?pkalg ([^ ]+) pkblob [^ ]+ (SHA256:[^ ]+)`)

// seen returns which keys the target and the certified server were offered since the last call, in their order and each
// once, and whether the jump host let somebody in.
func (l *sshLab) seen() (keys []string, gate bool) {
	for i, s := range []*sshd.Server{l.target, l.certified, l.gate} {
		text := s.Log()
		fresh := text[l.logged[i]:]
		l.logged[i] = len(text)
		if s == l.gate {
			gate = strings.Contains(fresh, "Accepted publickey")
			continue
		}
		for _, found := range offeredKey.FindAllStringSubmatch(fresh, -1) {
			if key := found[1] + " " + found[2]; len(keys) == 0 || keys[len(keys)-1] != key {
				keys = append(keys, key)
			}
		}
	}
	return keys, gate
}
