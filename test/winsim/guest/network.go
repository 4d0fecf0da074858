//go:build linux

package guest

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// card is the only network card, by the kernel's name.
const card = "eth0"

// network asks for an address until there is one.
func network(ctx context.Context, console io.Writer) error {
	for _, device := range []string{"lo", card} {
		if err := run(ctx, "/bin/busybox", "ip", "link", "set", "dev", device, "up"); err != nil {
			return err
		}
	}
	return every(ctx, time.Second, func() error {
		err := run(ctx, "/bin/busybox", "udhcpc", "-n", "-q", "-f", "-t", "5", "-T", "2", "-i", card, "-s", "/sbin/lease", "-O", "mtu")
		if err != nil {
			fmt.Fprintf(console, "winsim: %v\n", err)
		}
		return err
	})
}

// Cut takes the network card away for a while, as Windows does when it makes its first
// network for containers.
func Cut(ctx context.Context, console io.Writer, during time.Duration) error {
	if err := run(ctx, "/bin/busybox", "ip", "link", "set", "dev", card, "down"); err != nil {
		return err
	}
	timer := time.NewTimer(during)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return network(ctx, console)
}

func run(ctx context.Context, argv ...string) error {
	said, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}
