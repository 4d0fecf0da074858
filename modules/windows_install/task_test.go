package wininstall

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

const (
	disk = "/images/win-01.qcow2"
	seed = "/images/win-01-seed.iso"
)

func openTest(ctx context.Context, _ module.Host) (*virt.Conn, error) { return virt.OpenTest(ctx) }

// door is the guest's port: closed until somebody opens it.
type door struct {
	open  atomic.Bool
	knock func(times int32)
	times atomic.Int32
}

func (d *door) dial(_ context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" || address != "10.0.0.3:5986" {
		return nil, errors.New("the wrong door: " + network + " " + address)
	}
	times := d.times.Add(1)
	if d.knock != nil {
		d.knock(times)
	}
	if !d.open.Load() {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	far.Close()
	return near, nil
}

// lab is a host with a running domain that has a CD in its drive.
func lab(t *testing.T, owner string) (*moduletest.FakeHost, *virt.Conn, *door, *Task) {
	t.Helper()
	c, err := virt.OpenTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	text, err := virt.Spec{
		Name: t.Name(), Type: "qemu", VCPUs: 1, Memory: 2 << 30, CPU: "maximum", Machine: "q35", Disk: disk,
		CDs: []string{seed, "/images/drivers.iso"},
	}.XML(owner, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Define(t.Context(), text), c.Start(t.Context(), t.Name())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	h, d := moduletest.NewFakeHost(t, "k8s"), &door{}
	h.FS.Put(disk, "qcow2", 0o600)
	h.Dialer = d.dial
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		return moduletest.Reply{}, strings.HasPrefix(c.Line(), "stdbuf -oL virsh ")
	})
	task := newTask(openTest)
	task.Domain, task.Disk, task.Address, task.every = t.Name(), disk, "10.0.0.3", time.Millisecond
	return h, c, d, task
}

func TestInstallPassesTheSuite(t *testing.T) {
	h, _, d, task := lab(t, "k8s")
	d.knock = func(times int32) {
		if times >= 3 { // after the plan of the dry run, and that of the run
			d.open.Store(true)
		}
	}
	moduletest.Run(t, moduletest.Case{Host: h, New: func() module.Task { copied := *task; return &copied }})
}

func TestGuestThatAnswersNeedsNothing(t *testing.T) {
	t.Parallel()
	h, _, d, task := lab(t, "k8s")
	d.open.Store(true)
	moduletest.Same(t, "steps", moduletest.Texts(t, task, h), []string(nil))
}

func TestGuestIsWaitedForAndThenNothingIsLeft(t *testing.T) {
	t.Parallel()
	h, _, d, task := lab(t, "k8s")
	d.knock = func(times int32) {
		if times == 5 {
			d.open.Store(true)
		}
	}
	steps := moduletest.Steps(t, task, h)
	moduletest.Same(t, "steps", fmt.Sprint(steps), "[wait until "+task.Domain+" answers at 10.0.0.3:5986]")
	if module.Changes(steps) {
		t.Error("waiting counts as a change")
	}
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "steps again", moduletest.Texts(t, task, h), []string(nil))
	values, err := module.Outputs(t.Context(), task, h)
	if seconds, _ := values["elapsed"].AsBigFloat().Float64(); err != nil || seconds <= 0 {
		t.Errorf("elapsed %v, %v", values, err)
	}
}

func TestDiscsAreTakenOutWhenTheGuestAnswers(t *testing.T) {
	t.Parallel()
	h, _, d, task := lab(t, "k8s")
	d.open.Store(true)
	task.Eject = []string{seed}
	steps := moduletest.Steps(t, task, h)
	moduletest.Same(t, "steps", fmt.Sprint(steps), "[take CDs out of domain "+task.Domain+"]")
	if !module.Changes(steps) {
		t.Error("taking a CD out counts as no change")
	}
	task.Eject = []string{"/images/other.iso"}
	moduletest.Same(t, "steps for a disc that is in no drive", moduletest.Texts(t, task, h), []string(nil))
}

func TestDomainOfSomebodyElseKeepsItsDiscs(t *testing.T) {
	t.Parallel()
	h, _, d, task := lab(t, "other")
	d.open.Store(true)
	task.Eject = []string{seed}
	err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), " is not owned by cluster k8s but by other: ") {
		t.Errorf("got %v", err)
	}
}

func TestGuestThatTurnsOffIsAnError(t *testing.T) {
	t.Parallel()
	h, c, _, task := lab(t, "k8s")
	if err := c.PowerOff(t.Context(), task.Domain); err != nil {
		t.Fatal(err)
	}
	err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
	want := "domain " + task.Domain + ` turned off before it answered: see what its screen says with "kinit console"`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestTimeThatIsOverSaysWhatWasSeen(t *testing.T) {
	t.Parallel()
	h, _, _, task := lab(t, "k8s")
	h.FS.Put(virt.ConsoleLog(task.Domain), "kinit: sets up WinRM\n", 0o600)
	task.Within = "2s"
	err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
	want := `^waited 2s for \S+ to answer at 10\.0\.0\.3:5986: 0\.0 GiB written, it says: sets up WinRM\n`
	if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Task)
		want   string
	}{
		"good arguments": {change: func(*Task) {}},
		"no domain":      {change: func(n *Task) { n.Domain = "" }, want: `domain is empty: expected the name of a domain`},
		"no address":     {change: func(n *Task) { n.Address = "" }, want: `address is empty: expected the guest's address`},
		"wrong port":     {change: func(n *Task) { n.Port = 0 }, want: `port 0: expected 1 to 65535`},
		"wrong duration": {change: func(n *Task) { n.Within = "soon" }, want: `within "soon": expected a duration such as "90m"`},
		"relative disk":  {change: func(n *Task) { n.Disk = "a" }, want: `disk, pictures and eject: "a": expected an absolute path`},
		"relative disc":  {change: func(n *Task) { n.Eject = []string{"b"} }, want: `disk, pictures and eject: "b": expected an absolute path`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := newTask(openTest)
			task.Domain, task.Disk, task.Address = "win-01", disk, "10.0.0.3"
			c.change(task)
			got := ""
			if err := module.Check(task); err != nil {
				got = err.Error()
			}
			moduletest.Same(t, "mistake", got, c.want)
		})
	}
}
