package ssh

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// The limits of a KnownHostsCommand.
const (
	mostKnown    = 1 << 20 // bytes
	knownTimeout = 30 * time.Second
)

// KnownHostsCommand returns a Config.KnownHostsCommand that runs a program of this machine, as the option of that name in
// ssh_config(5). The tokens %H, %I, %t, %f and %K in the words are the host's name, why the program is asked, and the type,
// fingerprint and text of the host's key.
func KnownHostsCommand(words []string, host string) func(context.Context, PublicKey) ([]byte, error) {
	return func(ctx context.Context, key PublicKey) ([]byte, error) {
		tokens := []string{"%H", host, "%I", "ORDER", "%t", "NONE", "%f", "NONE", "%K", "NONE"}
		if key != nil {
			tokens = []string{
				"%H", host, "%I", "HOSTNAME", "%t", key.Type(), "%f", fingerprint(key),
				"%K", base64.StdEncoding.EncodeToString(key.Marshal()),
			}
		}
		ctx, cancel := context.WithTimeout(ctx, knownTimeout)
		defer cancel()
		argv := make([]string, len(words))
		for i, word := range words {
			argv[i] = strings.NewReplacer(tokens...).Replace(word)
		}
		var stdout limited
		var said lastBytes
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = "/", &stdout, &said
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = proxyPatience
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("the KnownHostsCommand %s: %w: %s", argv[0], errors.Join(err, ctx.Err()), said.String())
		}
		return stdout.Bytes(), nil
	}
}

// limited keeps what is written to it, up to mostKnown bytes.
type limited struct{ bytes.Buffer }

// Write fails when it is too much.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > mostKnown {
		return 0, fmt.Errorf("it printed more than %d bytes", mostKnown)
	}
	return l.Buffer.Write(p)
}
