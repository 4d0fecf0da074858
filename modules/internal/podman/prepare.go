package podman

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"kinit/engine/module"
)

//go:embed settle.sh
var settle string

// Prepare makes containers startable that a killed podman may have left half
// started. There are two cases. Podman has them as created in the runtime, and their
// processes may already run. Or podman has no record of the start: the runtime, which
// does not create a container twice, has one, or a process that watches the broken start still
// lives, and would record its end as that of the next start.
func (c Client) Prepare(ctx context.Context, all ...Container) error {
	var left strings.Builder
	for _, ctr := range all {
		if ctr.State.Running {
			continue
		}
		if ctr.State.Status == "initialized" {
			if _, err := c.Run(ctx, "container", "cleanup", ctr.ID); err != nil {
				return fmt.Errorf("end the start of container %s that was broken off: %w", ctr.Name, err)
			}
		}
		fmt.Fprintln(&left, ctr.ID, ctr.OCIRuntime)
	}
	if left.Len() == 0 {
		return nil
	}
	_, err := c.Host.Run(ctx, module.Command{Argv: []string{"sh", "-c", settle}, Stdin: strings.NewReader(left.String())})
	if err != nil {
		return fmt.Errorf("end what an earlier start has left: %w", err)
	}
	return nil
}
