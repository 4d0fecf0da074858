// Package podmantest runs a real podman for tests, with a separate store, network namespace
// and running state, so that it touches nothing of the machine.
package podmantest

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// Host is the local machine with a podman of its own.
type Host struct {
	*moduletest.Local
	// Runtime is an OCI runtime that works on this machine.
	Runtime string

	dir   string
	args  []string
	conf  string
	netns string // the name of its network namespace
}

// NewHost returns a host, or skips the test where podman is missing. With
// "podman" in KINIT_REQUIRE, missing is a failure.
func NewHost(t testing.TB, owner string) *Host {
	t.Helper()
	need.Programs(t, "podman", "podman")
	need.Root(t, "podman")
	// A short name: paths of sockets are limited to 108 bytes.
	dir, err := os.MkdirTemp("/tmp", "kp-")
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{Local: moduletest.LocalHost(t, owner), dir: dir, conf: filepath.Join(dir, "containers.conf")}
	h.args = []string{
		"--root", dir + "/root", "--runroot", dir + "/run", "--tmpdir", dir + "/tmp",
		"--network-config-dir", dir + "/net", "--cgroup-manager", "cgroupfs",
	}
	// The limits that podman sets by default are above what some sandboxes allow.
	text := "[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1024:1024\"]\n"
	if err := os.WriteFile(h.conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h.netns = filepath.Base(dir)
	for _, argv := range [][]string{{"netns", "add", h.netns}, {"-netns", h.netns, "link", "set", "lo", "up"}} {
		if out, err := exec.Command("ip", argv...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %s", strings.Join(argv, " "), out)
		}
	}
	t.Cleanup(func() { h.remove(t) })
	h.Runtime = runtime()
	return h
}

// runtime is runc where control groups are of both versions, which crun refuses,
// and podman's own choice elsewhere.
func runtime() string {
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		return ""
	}
	if _, err := exec.LookPath("runc"); err != nil {
		return ""
	}
	return "runc"
}

// Run leads podman to the host's own folders, and all commands to its network
// namespace.
func (h *Host) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if c.Argv[0] == "podman" {
		c.Argv = append(append([]string{"podman"}, h.args...), c.Argv[1:]...)
		env := map[string]string{"CONTAINERS_CONF": h.conf}
		for name, value := range c.Env {
			env[name] = value
		}
		c.Env = env
	}
	c.Argv = append([]string{"nsenter", "--net=/run/netns/" + h.netns, "--"}, c.Argv...)
	return h.Local.Run(ctx, c)
}

// Podman runs podman and returns what it printed, without the line end.
func (h *Host) Podman(t testing.TB, args ...string) string {
	t.Helper()
	out, err := h.Run(context.WithoutCancel(t.Context()), module.Command{Argv: append([]string{"podman"}, args...)})
	if err != nil {
		t.Fatalf("podman %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(out.Stdout)
}

// HalfStart leaves a container as a podman does that is killed between the runtime's
// start and its own record of it: podman calls it initialized, and its process runs.
func (h *Host) HalfStart(t testing.TB, container string) {
	t.Helper()
	init := []string{"init", container}
	if h.Runtime != "" {
		init = append([]string{"--runtime", h.Runtime}, init...)
	}
	h.Podman(t, init...)
	id := h.Podman(t, "inspect", container, "--format", "{{.ID}}")
	runtime := h.Podman(t, "inspect", container, "--format", "{{.OCIRuntime}}")
	if _, err := h.Run(t.Context(), module.Command{Argv: []string{runtime, "start", id}}); err != nil {
		t.Fatal(err)
	}
}

// KilledAfter starts podman and kills it, and what it has started in its session, after a
// time, unless it has ended by then.
func (h *Host) KilledAfter(t testing.TB, after time.Duration, args ...string) {
	t.Helper()
	if h.Runtime != "" {
		args = append([]string{"--runtime", h.Runtime}, args...)
	}
	argv := append(append([]string{"--net=/run/netns/" + h.netns, "--", "podman"}, h.args...), args...)
	cmd := exec.Command("nsenter", argv...)
	cmd.Env = append(os.Environ(), "CONTAINERS_CONF="+h.conf)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	_ = cmd.Wait() // it may have been killed
}

// Snapshot lists the state that a dry run must not change.
func (h *Host) Snapshot() string {
	text := h.Local.Snapshot()
	for _, args := range [][]string{
		{"ps", "--all", "--format", "{{.ID}} {{.Names}} {{.State}}"}, {"pod", "ps", "--format", "{{.Name}} {{.Status}}"},
		{"images", "--format", "{{.ID}} {{.Names}}"}, {"network", "ls"}, {"volume", "ls"},
	} {
		out, err := h.Run(context.Background(), module.Command{Argv: append([]string{"podman"}, args...)})
		text += fmt.Sprintf("%s%v\n", out.Stdout, err)
	}
	return text
}

// remove ends all processes and deletes the folders.
func (h *Host) remove(t testing.TB) {
	for _, args := range [][]string{
		{"pod", "rm", "--all", "--force", "--time", "0"}, {"rm", "--all", "--force", "--time", "0"}, {"network", "prune", "--force"},
	} {
		_, err := h.Run(context.Background(), module.Command{Argv: append([]string{"podman"}, args...)})
		if err != nil {
			t.Logf("clean up: %v", err)
		}
	}
	// A container's watcher starts podman once more when the container has ended,
	// which mounts the store again; so this waits for the last one.
	deadline := time.Now().Add(10 * time.Second)
	for err := h.removeAll(); err != nil; err = h.removeAll() {
		if time.Now().After(deadline) {
			t.Errorf("clean up: %v", err)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if out, err := exec.Command("ip", "netns", "delete", h.netns).CombinedOutput(); err != nil {
		t.Logf("clean up: %s", out)
	}
}

func (h *Host) removeAll() error {
	h.unmount()
	return os.RemoveAll(h.dir)
}

// unmount unmounts podman's leftovers below the host's folder.
func (h *Host) unmount() {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return
	}
	lines := strings.Split(string(mounts), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if fields := strings.Fields(lines[i]); len(fields) > 1 && strings.HasPrefix(fields[1], h.dir+"/") {
			_ = exec.Command("umount", "--lazy", fields[1]).Run()
		}
	}
}

// Files leads podman's own files to the host's folders.
func (h *Host) Files() module.Files { return files{h.Local.Files(), h.dir} }

type files struct {
	module.Files
	dir string
}

func (f files) path(name string) string {
	if rest, found := strings.CutPrefix(name, "/run/libpod/"); found {
		return f.dir + "/tmp/" + rest
	}
	if rest, found := strings.CutPrefix(name, "/run/containers/"); found {
		return f.dir + "/run/" + rest
	}
	return name
}

// List hides the processes of the machine's other containers.
func (f files) List(ctx context.Context, name string) ([]module.FileInfo, error) {
	if name == "/proc" {
		return nil, ctx.Err()
	}
	return f.Files.List(ctx, name)
}

func (f files) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	return f.Files.Stat(ctx, f.path(name))
}

func (f files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return f.Files.Open(ctx, f.path(name))
}

func (f files) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	return f.Files.Write(ctx, f.path(name), content, attr)
}

func (f files) Remove(ctx context.Context, name string) error {
	return f.Files.Remove(ctx, f.path(name))
}

var _ module.Host = (*Host)(nil)

// Reboot makes the running state look as after a boot of a machine whose /run
// outlives it: mounts, bridges and network namespaces are gone, the files stay.
// The processes must be dead already.
func (h *Host) Reboot(t testing.TB, bridge, netns string) {
	t.Helper()
	h.unmount()
	for _, argv := range [][]string{{"umount", "--lazy", netns}, {"ip", "-netns", h.netns, "link", "delete", bridge}} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", strings.Join(argv, " "), out)
		}
	}
	t.Cleanup(func() { _ = os.Remove(netns) })
	past := time.Unix(1, 0)
	if err := os.Chtimes(h.dir+"/tmp/alive", past, past); err != nil {
		t.Fatal(err)
	}
}

// Boot makes podman believe that the machine was rebooted. Nothing of it may run.
func (h *Host) Boot(t testing.TB) {
	t.Helper()
	if err := os.Remove(h.dir + "/tmp/alive"); err != nil {
		t.Fatal(err)
	}
}

// Network makes a network with a name of its own: which addresses were given is
// in a file of the whole machine's, by the network's name.
func (h *Host) Network(t testing.TB) string {
	t.Helper()
	name := "kp-" + strings.ToLower(rand.Text())
	h.Podman(t, "network", "create", "--disable-dns", name)
	return name
}

// Kill ends the processes of a container without podman's knowledge, as a killed
// machine does, and waits until they are gone.
func (h *Host) Kill(t testing.TB, name string) {
	t.Helper()
	var watcher, first int
	text := h.Podman(t, "inspect", name, "--format", "{{.State.ConmonPid}} {{.State.Pid}}")
	if _, err := fmt.Sscan(text, &watcher, &first); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{watcher, first} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Second); lives(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d does not end", pid)
			}
		}
	}
}

// lives reports whether a process is there and is not only waiting to be collected.
func lives(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}
