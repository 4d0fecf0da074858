package podman

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Podman's own files of running state, for root. On most machines /run is empty
// after a boot; if it is not, podman trusts the old state.
const (
	aliveFile = "/run/libpod/alive"                // made by the first podman after a boot
	exitsDir  = "/run/libpod/exits"                // conmon writes exit codes here
	ipamFile  = "/run/containers/networks/ipam.db" // which container has which address
	killed    = "137"                              // the exit code of a process that got SIGKILL
)

// Alive reports whether the process of a container that is recorded as running
// exists and is the container's, not another with the same number.
func (c Client) Alive(ctx context.Context, ctr Container) (bool, error) {
	if alive, err := c.process(ctx, ctr.State.Pid, "cgroup", ctr.ID); err != nil || alive {
		return alive, err
	}
	// Without a separate control group, the container is alive as long as its
	// watcher process is, which has the id among its arguments.
	return c.process(ctx, ctr.State.ConmonPid, "cmdline", ctr.ID)
}

// process reports whether a process lives and has a word in one of its files.
func (c Client) process(ctx context.Context, pid int, file, word string) (bool, error) {
	if pid == 0 {
		return false, nil
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	stat, there, err := readProc(ctx, c.Host, dir+"stat")
	if err != nil || !there || zombie(stat) {
		return false, err
	}
	text, there, err := readProc(ctx, c.Host, dir+file)
	return there && strings.Contains(text, word), err
}

// readProc is hostfile.Read, for a process that may end between open and read.
func readProc(ctx context.Context, h module.Host, name string) (string, bool, error) {
	text, there, err := hostfile.Read(ctx, h, name)
	if err != nil && strings.Contains(err.Error(), "no such process") {
		return "", false, nil
	}
	return text, there, err
}

// zombie reports, from a process's stat, whether it has ended and waits to be
// collected: its state follows the name, which is in parentheses (proc(5)).
func zombie(stat string) bool {
	end := strings.LastIndex(stat, ")")
	fields := strings.Fields(stat[end+1:])
	return len(fields) > 0 && (fields[0] == "Z" || fields[0] == "X")
}

// Running reports whether a container is recorded as running, or as being stopped,
// and whether its process exists.
func (c Client) Running(ctx context.Context, ctr Container) (recorded, alive bool, err error) {
	recorded = ctr.State.Running || ctr.State.Status == "stopping" || ctr.State.Status == "paused"
	if !recorded {
		return false, false, nil
	}
	alive, err = c.Alive(ctx, ctr)
	return recorded, alive, err
}

// SettleDead makes podman notice that containers which it records as running have
// lost their processes, so that they can be started or removed. It does not change
// live containers.
func (c Client) SettleDead(ctx context.Context, all []Container) error {
	var dead []Container
	for _, ctr := range all {
		recorded, alive, err := c.Running(ctx, ctr)
		if err != nil {
			return err
		}
		if recorded && !alive {
			dead = append(dead, ctr)
		}
	}
	if len(dead) == 0 {
		return nil
	}
	stale, err := c.stale(ctx)
	if err != nil {
		return err
	}
	if stale {
		return c.forgetBoot(ctx)
	}
	return c.bury(ctx, dead)
}

// bury writes the exit codes that conmon would have written; podman then marks
// the containers as ended by itself.
func (c Client) bury(ctx context.Context, dead []Container) error {
	for _, ctr := range dead {
		name := exitsDir + "/" + ctr.ID
		if err := c.Host.Files().Write(ctx, name, strings.NewReader(killed), module.Attr{Mode: 0o644}); err != nil {
			return fmt.Errorf("record the end of container %s: %w", ctr.Name, err)
		}
	}
	if _, err := c.Run(ctx, "ps", "--all", "--sync", "--quiet"); err != nil {
		return fmt.Errorf("synchronise podman: %w", err)
	}
	return nil
}

// stale reports whether podman's running state is from before the last boot and no
// container lives, so that all of it is wrong.
func (c Client) stale(ctx context.Context) (bool, error) {
	made, there, err := hostfile.Look(ctx, c.Host, aliveFile)
	if err != nil {
		return false, fmt.Errorf("stat %s: %w", aliveFile, err)
	}
	if !there {
		return false, nil
	}
	booted, err := c.bootTime(ctx)
	if err != nil || !made.MTime.Before(booted) {
		return false, err
	}
	// The clock may have been set after podman's first use; if a container
	// lives, the state is right, and a process watches the container.
	watched, err := c.anyConmon(ctx)
	return !watched, err
}

// anyConmon reports whether any container of the machine is being watched.
func (c Client) anyConmon(ctx context.Context) (bool, error) {
	entries, err := c.Host.Files().List(ctx, "/proc")
	if err != nil {
		return false, fmt.Errorf("list processes: %w", err)
	}
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name); err != nil {
			continue
		}
		// A zombie keeps its name and loses its arguments.
		name, _, err := readProc(ctx, c.Host, "/proc/"+entry.Name+"/comm")
		if err != nil {
			return false, err
		}
		if strings.TrimSpace(name) != "conmon" {
			continue
		}
		line, _, err := readProc(ctx, c.Host, "/proc/"+entry.Name+"/cmdline")
		if err != nil || line != "" {
			return true, err
		}
	}
	return false, nil
}

func (c Client) bootTime(ctx context.Context) (time.Time, error) {
	text, _, err := hostfile.Read(ctx, c.Host, "/proc/stat")
	if err != nil {
		return time.Time{}, err
	}
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, "btime "); found {
			seconds, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return time.Unix(seconds, 0), err
		}
	}
	return time.Time{}, errors.New("no btime in /proc/stat")
}

// forgetBoot removes the running state of an earlier boot from a /run that
// survived the boot: the file that keeps podman from resetting its records,
// the assigned addresses, and the state of the OCI runtimes.
func (c Client) forgetBoot(ctx context.Context) error {
	for _, name := range []string{ipamFile, aliveFile} {
		if err := c.Host.Files().Remove(ctx, name); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	all, err := c.Containers(ctx)
	if err != nil {
		return fmt.Errorf("reset podman's records: %w", err)
	}
	for _, ctr := range all {
		if ctr.OCIRuntime == "" {
			continue
		}
		// A runtime without the container has no state to remove.
		_, err := c.Host.Run(ctx, module.Command{Argv: []string{ctr.OCIRuntime, "delete", "--force", ctr.ID}})
		if err != nil && !module.Exited(err) {
			return err
		}
	}
	return nil
}
