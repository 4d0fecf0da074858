package ssh

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"kinit/engine/internal/subprocess"
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
		text, said, err := subprocess.Program{Argv: argv, Most: mostKnown}.Output(ctx)
		if err != nil {
			return nil, fmt.Errorf("the KnownHostsCommand %s: %w: %s", argv[0], err, said)
		}
		return text, nil
	}
}
