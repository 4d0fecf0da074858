// Package wine tests kinit's scripts for Windows on a real PowerShell: version 7 for Windows, under Wine.
package wine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/test/winsim/process"
)

// variable names a folder with PowerShell 7 for Windows, which has pwsh.exe. kinit's Debian packages bring
// everything else.
const variable = "KINIT_POWERSHELL_WINDOWS"

const (
	// user is who Wine runs as: a number that owns nothing on this machine.
	user = 64537
	// powershell is where every Windows has it.
	powershell = `C:\windows\system32\WindowsPowerShell\v1.0\powershell.exe`
	// most is how long a command may take.
	most = 2 * time.Minute
)

// machine is a Windows of Wine with a real PowerShell. It has a root of its own, whose changes are in memory, no
// network but its own loopback, and processes of its own, which end with the test. Only drive C: is
// on this machine, in the folder prefix.
type machine struct {
	prefix  string
	enter   []string // what comes before a command that is to run there
	number  atomic.Int64
	running sync.WaitGroup
}

// start makes the machine. Without PowerShell the test is skipped.
func start(t *testing.T) *machine {
	t.Helper()
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("%s names no folder with PowerShell 7 for Windows", variable)
	}
	need.Programs(t, "wine", "wine", "wineserver", "nsenter", "setpriv", "ip")
	need.Root(t, "wine")
	if _, err := os.Stat(filepath.Join(folder, "pwsh.exe")); err != nil {
		t.Fatalf("%s is to name a folder with pwsh.exe: %v", variable, err)
	}
	base, prefix := t.TempDir(), t.TempDir()
	m := &machine{prefix: prefix}
	drive := filepath.Join(prefix, "drive_c")
	must(t, errors.Join(os.Mkdir(drive, 0o755), os.Chown(prefix, user, user), os.Chown(drive, user, user)))
	pid, err := ownroot.Apart(t, base, prefix, folder)
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	inside := slices.Concat(ownroot.Enter(pid), []string{"--net", "--pid"})
	m.enter = slices.Concat(inside, []string{
		"env", "--chdir=" + drive, "setpriv", fmt.Sprintf("--reuid=%d", user), fmt.Sprintf("--regid=%d", user), "--clear-groups", "--no-new-privs",
		"env", "-i", "PATH=/usr/bin:/bin", "HOME=" + prefix, "USER=Administrator", "LANG=C.UTF-8",
		"WINEPREFIX=" + prefix, "WINEARCH=win64", "WINEDEBUG=-all", "DISPLAY=",
		"POWERSHELL_TELEMETRY_OPTOUT=1", "POWERSHELL_UPDATECHECK=Off", "NO_COLOR=1",
	})
	t.Cleanup(m.running.Wait)
	m.install(t, inside, folder)
	m.keepAlive(t)
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// install makes the prefix with PowerShell in it, out of reach of this machine's files.
func (m *machine) install(t *testing.T, inside []string, folder string) {
	t.Helper()
	do := func(argv ...string) { t.Helper(); m.do(t, slices.Concat(inside, argv)) }
	do("ip", "link", "set", "lo", "up")
	for _, argv := range [][]string{
		{"wine", "wineboot", "--init"},
		{"wine", "winecfg", "/v", "win10"},
		{"wineserver", "--wait"},
	} {
		m.do(t, slices.Concat(m.enter, argv))
	}
	m.cutOff(t)
	seven := m.path(`C:\Program Files\PowerShell\7`)
	must(t, os.MkdirAll(seven, 0o755))
	do("mount", "--bind", folder, seven) // seen there by processes of the machine alone
	do("mount", "-o", "remount,bind,ro", seven)
	random := m.path(`C:\windows\system32\bcryptprimitives.dll`)
	if _, err := os.Stat(random); errors.Is(err, os.ErrNotExist) {
		must(t, os.WriteFile(random, forwarding("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o644))
	}
	m.build(t, m.path(powershell))
	m.installStubs(t, do)
}

// cutOff removes the ways from the prefix to this machine: the drive of the root, devices, and the links of
// profiles to folders of a home.
func (m *machine) cutOff(t *testing.T) {
	t.Helper()
	devices, err := os.ReadDir(filepath.Join(m.prefix, "dosdevices"))
	must(t, err)
	for _, device := range devices {
		if device.Name() != "c:" {
			must(t, os.Remove(filepath.Join(m.prefix, "dosdevices", device.Name())))
		}
	}
	must(t, filepath.WalkDir(filepath.Join(m.prefix, "drive_c"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Type() != os.ModeSymlink {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		return errors.Join(os.Mkdir(path, 0o755), os.Chown(path, user, user))
	}))
}

// build builds powershell.exe for Windows.
func (m *machine) build(t *testing.T, to string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	must(t, os.RemoveAll(to))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", to, "./launcher")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build powershell.exe: %v\n%s", err, out)
	}
}

// keepAlive keeps a process running until the test ends: the next one then starts in a second.
func (m *machine) keepAlive(t *testing.T) {
	t.Helper()
	cmd := m.command(t.Context(), "wine", "cmd.exe")
	input, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait() // it may have been killed, by the end of its machine
	})
}

// do runs a command to its end.
func (m *machine) do(t *testing.T, argv []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
}

// command is a command on the machine that is killed when ctx ends.
func (m *machine) command(ctx context.Context, argv ...string) *exec.Cmd {
	all := slices.Concat(m.enter, argv)
	cmd := exec.CommandContext(ctx, all[0], all[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// path is where a file of the machine is on this one.
func (m *machine) path(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return filepath.Join(m.prefix, "drive_c", strings.TrimPrefix(file, "C:/"))
}

// Run runs a command line as cmd.exe or the SSH server of Windows does, as a process.Runner. What such a shell
// would only pass on to powershell.exe is given to it directly, which takes half the time.
func (m *machine) Run(ctx context.Context, c process.Command) (uint32, error) {
	line := c.Line
	if c.Args != nil {
		if len(c.Args) != 2 {
			return 0, errors.New("this machine has no interactive shell")
		}
		line = strings.TrimSuffix(c.Args[1], "; exit $LASTEXITCODE")
	}
	switch {
	case plain(line):
		return m.start(ctx, line, c)
	case c.Args != nil:
		return m.start(ctx, powershell+" -Command "+c.Args[1], c)
	}
	return m.start(ctx, "cmd.exe /c "+line, c)
}

// plain reports whether a command line starts PowerShell and has nothing that a shell replaces.
func plain(line string) bool {
	return strings.HasPrefix(line, "powershell.exe ") && !strings.ContainsAny(line, "\"'`$%^&|<>()@;\n")
}

func (m *machine) start(ctx context.Context, line string, c process.Command) (uint32, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	code := fmt.Sprintf(`C:\windows\temp\code-%d`, m.number.Add(1))
	defer os.Remove(m.path(code))
	argv := []string{"env", "KINIT_LINE=" + line, "KINIT_CODE_FILE=" + code}
	for name, value := range c.Env {
		argv = append(argv, name+"="+value)
	}
	cmd := m.command(ctx, append(argv, "wine", powershell)...)
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	m.running.Go(func() { // until the client's input ends, at the latest with the connection
		_, _ = io.Copy(input, asFramework(c.Stdin)) // a command need not read its input
		_ = input.Close()
	})
	if err := cmd.Wait(); ctx.Err() != nil {
		return 0, fmt.Errorf("%.60s: %w", line, errors.Join(ctx.Err(), err))
	}
	text, err := os.ReadFile(m.path(code))
	if err != nil {
		return uint32(cmd.ProcessState.ExitCode()), nil // it did not get as far as a code of its own
	}
	number, err := strconv.ParseUint(string(text), 10, 32)
	return uint32(number), err
}
