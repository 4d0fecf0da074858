package link

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/module"
)

// PlanRemoval returns the step that takes addresses off a device, or none. The
// device itself stays.
func PlanRemoval(ctx context.Context, h module.Host, device string, addresses []string) ([]module.Step, error) {
	commands, err := removals(ctx, h, device, addresses)
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	text := "clear device " + device + "\n  " + strings.Join(lines(commands), "\n  ")
	return []module.Step{module.NewStep(text, func(ctx context.Context, h module.Host) error {
		return RemoveAddresses(ctx, h, device, addresses)
	})}, nil
}

// RemoveAddresses takes addresses off a device, those that are there.
func RemoveAddresses(ctx context.Context, h module.Host, device string, addresses []string) error {
	commands, err := removals(ctx, h, device, addresses)
	if err != nil {
		return err
	}
	return RunAll(ctx, h, commands)
}

func removals(ctx context.Context, h module.Host, device string, addresses []string) ([][]string, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	have, err := Read(ctx, h, Want{Device: device})
	if err != nil {
		return nil, err
	}
	var commands [][]string
	for _, address := range addresses {
		if slices.Contains(have.Addresses, address) {
			commands = append(commands, []string{"ip", "addr", "del", address, "dev", device})
		}
	}
	return commands, nil
}

// Delete removes a device, if it is there.
func Delete(ctx context.Context, h module.Host, device string) error {
	have, err := Read(ctx, h, Want{Device: device})
	if err != nil || !have.Exists {
		return err
	}
	return RunAll(ctx, h, [][]string{{"ip", "link", "del", "dev", device}})
}

// WithAlias names the devices that have an alias.
func WithAlias(ctx context.Context, h module.Host, alias string) ([]string, error) {
	devices, err := list(ctx, h, "")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range devices {
		if d.Alias == alias && alias != "" {
			names = append(names, d.Name)
		}
	}
	return names, nil
}
