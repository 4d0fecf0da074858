package link

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/shell"
)

// Plan returns the step that configures the device, or none. A device
// that does not exist yet must exist when the step runs.
func Plan(ctx context.Context, h module.Host, want Want) ([]module.Step, error) {
	have, err := Read(ctx, h, want)
	if err != nil {
		return nil, err
	}
	return Steps(want, have), nil
}

// Steps is Plan for a device that was read already.
func Steps(want Want, have State) []module.Step {
	return step("configure device "+want.Device, Commands(want, have), func(ctx context.Context, h module.Host) error {
		return Apply(ctx, h, want)
	})
}

// step returns the step that shows commands, or none without any.
func step(title string, commands [][]string, do func(context.Context, module.Host) error) []module.Step {
	if len(commands) == 0 {
		return nil
	}
	return module.OneStep(title+"\n  "+strings.Join(lines(commands), "\n  "), do)
}

// Apply reads the device again and runs the commands it needs.
func Apply(ctx context.Context, h module.Host, want Want) error {
	have, err := Read(ctx, h, want)
	if err != nil {
		return err
	}
	if !have.Exists {
		return fmt.Errorf("device %s does not exist on %s", want.Device, h.Name())
	}
	return RunAll(ctx, h, Commands(want, have))
}

// RunAll runs commands until one fails.
func RunAll(ctx context.Context, h module.Host, commands [][]string) error {
	for _, argv := range commands {
		if _, err := h.Run(ctx, module.Command{Argv: argv}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Script returns the lines of a shell script that configures a device
// after a restart.
func Script(want Want) string {
	return strings.Join(lines(Commands(want, State{})), "\n") + "\n"
}

// BootScript is a script for a unit that runs at boot. It configures a device if that is managed.
func BootScript(managed bool, want Want) string {
	script := "#!/bin/sh\nset -eu\n"
	if managed {
		script += Script(want)
	}
	return script
}

func lines(commands [][]string) []string {
	return lists.Map(commands, func(argv []string) string { return shell.POSIX(argv...) })
}

// PlanRemoval returns the step that removes addresses from a device, or none. The
// device itself remains.
func PlanRemoval(ctx context.Context, h module.Host, device string, addresses []string) ([]module.Step, error) {
	commands, err := removals(ctx, h, device, addresses)
	return step("clear device "+device, commands, func(ctx context.Context, h module.Host) error {
		return RemoveAddresses(ctx, h, device, addresses)
	}), err
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

// Deletion is the step that removes an end of a veth, and the other one with it.
func Deletion(device string) module.Step {
	return module.NewStep("delete veth "+device, func(ctx context.Context, h module.Host) error {
		return Delete(ctx, h, device)
	})
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
