package machine_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/machinetest"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// programs are what the executables of these tests do.
func programs() map[string]machine.Program {
	return map[string]machine.Program{
		"svchost": func(ctx context.Context, p *machine.Process) uint32 {
			p.Service.Running()
			<-ctx.Done()
			return 0
		},
		"echo": func(_ context.Context, p *machine.Process) uint32 {
			fmt.Fprintf(p.Stdout, "%q in %s as %s with %s", p.Args, p.Dir, p.User, p.Env.Get("COMPUTERNAME"))
			return 7
		},
		"wait": func(ctx context.Context, p *machine.Process) uint32 {
			<-ctx.Done()
			return 1
		},
	}
}

// observer notes what the machine tells.
type observer struct {
	mu     sync.Mutex
	events []string
	opened chan struct{} // a value each time connections are let in
}

func newObserver() *observer { return &observer{opened: make(chan struct{}, 100)} }

func (o *observer) note(event string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, event)
}

func (o *observer) PowerOff() { o.note("off") }

func (o *observer) PowerOn() {
	o.note("on")
	o.opened <- struct{}{}
}

func (o *observer) NetworkDown() { o.note("cut") }

func (o *observer) NetworkUp() {
	o.note("back")
	o.opened <- struct{}{}
}

func (o *observer) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.events)
}

func release(t *testing.T, short string) machine.Release {
	t.Helper()
	r, ok := machine.FindRelease(short)
	if !ok {
		t.Fatalf("no release %s", short)
	}
	return r
}

// boot returns a machine that runs until the test ends.
func boot(t *testing.T, o machine.Options, watch machine.Observer) *machine.Machine {
	t.Helper()
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	if o.Release.Build == 0 {
		o.Release = release(t, "2k22")
	}
	o.Programs = programs()
	m, err := machine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if watch != nil {
		m.Observe(watch)
	}
	machinetest.Run(t, m)
	return m
}

func TestARebootEndsProcessesAndMakesWhatIsPendingTakeEffect(t *testing.T) {
	t.Parallel()
	watch := newObserver()
	m := boot(t, machine.Options{}, watch)
	before := m.LastBoot()
	if _, err := m.Features.Install([]string{"Containers"}, false, false); err != nil {
		t.Fatal(err)
	}
	if err := m.Rename("k8s-compute-01"); err != nil {
		t.Fatal(err)
	}
	if err := m.Files.WriteFile(`C:\wait.exe`, machine.Stand("wait", "1.0")); err != nil {
		t.Fatal(err)
	}
	if err := m.Files.WriteFile(`C:\new.txt`, []byte("new")); err != nil {
		t.Fatal(err)
	}
	pending := registry.Value{Name: "PendingFileRenameOperations", Kind: registry.MultiString, List: []string{`\??\C:\new.txt`, `!\??\C:\old.txt`}}
	if err := m.Registry.Set(`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`, pending); err != nil {
		t.Fatal(err)
	}
	p, err := m.Launch(t.Context(), machine.Start{Program: `C:\wait.exe`})
	if err != nil {
		t.Fatal(err)
	}
	if m.ComputerName() != "WIN-KINITSIM" || m.Features.State("Containers") != feature.InstallPending {
		t.Errorf("before the reboot: %s, %s", m.ComputerName(), m.Features.State("Containers"))
	}
	if err := m.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code := p.Wait(); code != 1 {
		t.Errorf("the process ended with %d, want 1", code)
	}
	if m.ComputerName() != "K8S-COMPUTE-01" || m.Features.State("Containers") != feature.Installed {
		t.Errorf("after the reboot: %s, %s", m.ComputerName(), m.Features.State("Containers"))
	}
	if status, err := m.Services.Status("hns"); err != nil || status.State != scm.Running {
		t.Errorf("hns %+v %v, want running", status, err)
	}
	if text, err := m.Files.ReadFile(`C:\old.txt`); err != nil || string(text) != "new" {
		t.Errorf("renamed file: %q %v", text, err)
	}
	if !m.LastBoot().After(before) || m.Boots() != 2 {
		t.Errorf("last boot %v and %v, boots %d", before, m.LastBoot(), m.Boots())
	}
	if got, want := watch.all(), []string{"on", "off", "on"}; !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestTheMachineIsThereAgainInAnotherProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	o := machine.Options{Folder: folder, Release: release(t, "2k25"), Language: "de-DE", Name: "node", Programs: programs()}
	m, err := machine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.PowerOn(ctx); err != nil {
		t.Fatal(err)
	}
	if err := m.Accounts.SetPassword("Administrator", "Kennwort-1"); err != nil {
		t.Fatal(err)
	}
	stop()
	m.Close()

	again := boot(t, machine.Options{Folder: folder}, nil)
	if again.ComputerName() != "NODE" || again.Release().Build != 26100 || again.Language() != "de-DE" || again.Boots() != 2 {
		t.Errorf("%s, build %d, %s, boot %d", again.ComputerName(), again.Release().Build, again.Language(), again.Boots())
	}
	if !again.Password("administrator", "Kennwort-1") {
		t.Error("the password is another one")
	}
}

func TestTheFirstExternalNetworkCutsConnections(t *testing.T) {
	t.Parallel()
	watch := newObserver()
	m := boot(t, machine.Options{DropTime: time.Millisecond}, watch)
	<-watch.opened
	made, err := m.Network.AddNetwork(network.HNSNetwork{Name: "flannel.4096", Type: "Overlay", VSID: 4096})
	if err != nil {
		t.Fatal(err)
	}
	<-watch.opened
	if made.Management.String() != "192.0.2.10" || made.Adapter != "Ethernet" {
		t.Errorf("network %+v", made)
	}
	if a, _ := m.Network.Primary(); a.Name != "vEthernet (Ethernet)" || a.Address.String() != "192.0.2.10/24" {
		t.Errorf("the address is on %s", a.Name)
	}
	if _, err := m.Network.AddNetwork(network.HNSNetwork{Name: "second", Type: "L2Bridge"}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Network.AddNetwork(network.HNSNetwork{Name: "nat", Type: "NAT"}); err != nil {
		t.Fatal(err)
	}
	if got, want := watch.all(), []string{"on", "cut", "back"}; !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	if err := m.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := m.Network.Networks(); len(left) > 0 {
		t.Errorf("networks that are not persistent survived: %+v", left)
	}
}

func TestAnotherCardTakesThePlaceOfAll(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{DropTime: time.Millisecond}, nil)
	if _, err := m.Network.AddNetwork(network.HNSNetwork{Name: "flannel.4096", Type: "Overlay", VSID: 4096}); err != nil {
		t.Fatal(err)
	}
	before := m.Network.Adapters()
	same := before[0]
	same.MTU = 9000
	if err := m.Network.Plug(same); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, m.Network.Adapters(), cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{})); diff != "" {
		t.Errorf("the card that is known has another configuration:\n%s", diff)
	}
	other := network.Adapter{Name: "Ethernet", MAC: "52-54-00-00-00-01", Address: netip.MustParsePrefix("10.0.0.2/24")}
	if err := m.Network.Plug(other); err != nil {
		t.Fatal(err)
	}
	if all := m.Network.Adapters(); len(all) != 1 || all[0].MAC != other.MAC || len(m.Network.Networks()) > 0 {
		t.Errorf("adapters %+v, networks %+v", all, m.Network.Networks())
	}
}

func TestProgramsAreFoundByTheirContent(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{}, nil)
	for name, content := range map[string]string{`C:\k\echo.exe`: string(machine.Stand("echo", "1.34.4")), `C:\k\broken.exe`: "MZ", `C:\k\other.exe`: string(machine.Stand("other", "1"))} {
		if err := m.Files.Mkdir(`C:\k`); err != nil {
			t.Fatal(err)
		}
		if err := m.Files.WriteFile(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	for program, want := range map[string]winerr.Code{`C:\k\broken.exe`: winerr.BadExeFormat, "nothing": winerr.FileNotFound, `C:\k\other.exe`: winerr.BadExeFormat} {
		if _, err := m.Launch(t.Context(), machine.Start{Program: program}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", program, err, want)
		}
	}
	if got, want := m.Unknowns(), []string{`program other of C:\k\other.exe`}; !slices.Equal(got, want) {
		t.Errorf("unknown %q, want %q", got, want)
	}
	var out strings.Builder
	p, err := m.Launch(t.Context(), machine.Start{Program: "echo", Args: []string{"a b", "c"}, Dir: `C:\k`, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if code := p.Wait(); code != 7 {
		t.Errorf("code %d, want 7", code)
	}
	if got, want := out.String(), `["a b" "c"] in C:\k as S-1-5-18 with WIN-KINITSIM`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestServicesKeepTheEnvironmentOfTheBoot(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{}, nil)
	key := `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
	if err := m.Registry.Set(key, registry.Text("KINIT", "new")); err != nil {
		t.Fatal(err)
	}
	see := func() string {
		t.Helper()
		if err := m.Services.Start(t.Context(), "W32Time"); err != nil {
			t.Fatal(err)
		}
		status, err := m.Services.Status("W32Time")
		if err != nil {
			t.Fatal(err)
		}
		p, ok := m.Process(status.PID)
		if !ok {
			t.Fatal("the service has no process")
		}
		return p.Env.Get("KINIT")
	}
	if got := see(); got != "" {
		t.Errorf("a service sees %q before the reboot", got)
	}
	if err := m.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := see(); got != "new" {
		t.Errorf("a service sees %q after the reboot, want new", got)
	}
}

func TestATaskRunsDetachedAndSaysHowItEnded(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{}, nil)
	if err := m.Files.WriteFile(`C:\Windows\system32\echo.exe`, machine.Stand("echo", "1")); err != nil {
		t.Fatal(err)
	}
	task := machine.Task{Path: `\kinit\`, Name: "join", Actions: []machine.TaskAction{{Execute: "%SystemRoot%\\system32\\echo.exe", Arguments: `x "y z"`}}, User: "S-1-5-18",
		Triggers: []machine.TaskTrigger{{Kind: "Boot"}}}
	if err := m.AddTask(task, false); err != nil {
		t.Fatal(err)
	}
	if err := m.AddTask(task, false); !errors.Is(err, machine.ErrTaskExists) {
		t.Errorf("made twice: %v", err)
	}
	if err := m.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		got, err := m.Task(`\kinit\`, "JOIN")
		if err != nil {
			t.Fatal(err)
		}
		if got.LastResult == 7 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("last result %#x, want 7", got.LastResult)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestCommandLinesAreSplitAsTheyWereJoined(t *testing.T) {
	t.Parallel()
	args := []string{`C:\Program Files\x.exe`, "", `a\`, `b c\`, `say "hi"`, `\\server\share`, `x\"y`}
	line := machine.JoinArgs(args)
	if got := machine.SplitArgs(line); !slices.Equal(got, args) {
		t.Errorf("%q from %s, want %q", got, line, args)
	}
	if got, want := machine.SplitArgs(`--taints="" --dir=C:\k\ "--log=C:\var log\x"`), []string{"--taints=", `--dir=C:\k\`, `--log=C:\var log\x`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAProcessThatFindsTheMachineGoingDownIsNoGapOfTheSimulator(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{}, nil)
	p := &machine.Process{Machine: m}
	p.Fail(fmt.Errorf("start msiexec.exe: %w", machine.ErrOff))
	if p.Failure() != nil || len(m.Unknowns()) > 0 {
		t.Errorf("failure %v, unknown %q", p.Failure(), m.Unknowns())
	}
	p.Fail(errors.New("an unknown switch"))
	if p.Failure() == nil || !slices.Equal(m.Unknowns(), []string{"an unknown switch"}) {
		t.Errorf("failure %v, unknown %q", p.Failure(), m.Unknowns())
	}
}

// The machine goes down at any moment of a task's start.
func TestATaskThatStartsAsTheMachineGoesDownDoesNotRunAfterwards(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{}, nil)
	task := machine.Task{Path: `\`, Name: "wait", Actions: []machine.TaskAction{{Execute: `C:\wait.exe`}}, User: "S-1-5-18"}
	if err := m.Files.WriteFile(`C:\wait.exe`, []byte(machine.Stand("wait", "1"))); err != nil {
		t.Fatal(err)
	}
	if err := m.AddTask(task, false); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		var starting sync.WaitGroup
		starting.Go(func() { _ = m.RunTask(`\`, "wait") })      // that the machine is off is no matter
		time.Sleep(time.Duration(i%50) * 10 * time.Microsecond) // another moment each time
		if err := m.Reboot(t.Context()); err != nil {
			t.Fatal(err)
		}
		starting.Wait()
		if err := m.Reboot(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m.TaskActive(task) {
			t.Fatal("the task runs after a restart")
		}
	}
}

func TestATaskThatRepeatsStartsItsProgramAgain(t *testing.T) {
	t.Parallel()
	m := boot(t, machine.Options{}, nil)
	if err := m.Files.WriteFile(`C:\Windows\system32\echo.exe`, machine.Stand("echo", "1")); err != nil {
		t.Fatal(err)
	}
	if err := m.AddTask(machine.Task{Path: `\`, Name: "again", Actions: []machine.TaskAction{{Execute: `C:\Windows\system32\echo.exe`, Arguments: "x"}}, User: "S-1-5-18",
		Triggers: []machine.TaskTrigger{{Kind: "Once", At: m.Now().Add(-time.Hour), Interval: 100 * time.Millisecond}}}, false); err != nil {
		t.Fatal(err)
	}
	runs := map[time.Time]bool{}
	for deadline := time.Now().Add(time.Minute); len(runs) < 3; time.Sleep(time.Millisecond) {
		got, err := m.Task(`\`, "again")
		if err != nil {
			t.Fatal(err)
		}
		if !got.LastRun.IsZero() {
			runs[got.LastRun] = true
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d runs after a minute", len(runs))
		}
	}
}
