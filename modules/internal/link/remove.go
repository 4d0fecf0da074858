package link

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/module"
)

// PlanRemoval returns the step that removes addresses from a device, or none. The
// device itself remains.
func PlanRemoval(ctx context.Context, h module.Host, device string, addresses []string) ([]module.Step, error) {
	commands, err := removals(ctx, h, device, addresses)
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	text := "clear device " + device + "\n  " + strings.Join(lines(commands), "\n  ")
	return module.OneStep(text, func(ctx context.Context, h module.Host) error {
		return RemoveAddresses(ctx, h, device, addresses)
	}), nil
}

// RemoveAddresses removes the existing ones of some addresses from a device.
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

// Delete removes a device, if it exists.
func Delete(ctx context.Context, h module.Host, device string) error {
	have, err := Read(ctx, h, Want{Device: device})
	if err != nil || !have.Exists {
		return err
	}
	return RunAll(ctx, h, [][]string{{"ip", "link", "del", "dev", device}})
}

// WithAlias lists the devices with an alias.
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
