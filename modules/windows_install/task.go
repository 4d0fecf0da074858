// Package wininstall is the module "windows_install": it waits until a Windows guest that
// installs or configures itself can be reached, and meanwhile shows its state as seen by the
// hypervisor.
package wininstall

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/guestwatch"
	"kinit/modules/internal/virt"
)

// Task waits until a Windows guest has set itself up. The sign is a TCP port that accepts
// connections, which the scripts of windows_seed open last. Meanwhile it
// shows how much is written to the disk, how often the guest restarted, and the messages of
// its scripts on the serial port. A script's failure message ends the wait.
//
// Errors:
//   - the port was not open within the time; the error has the last state, and the path on
//     the host of a picture of the screen
//   - the guest's script failed; the error has its message
//   - the guest turned itself off
type Task struct {
	// Domain is the name of the guest's domain.
	Domain string `hcl:"domain"`
	// Disk is the path of the domain's image, which grows while it is written.
	Disk string `hcl:"disk"`
	// Address is the guest's address for the host.
	Address string `hcl:"address"`
	// Port is the TCP port that opens last. The default is that of WinRM over HTTPS.
	Port int `hcl:"port,optional" default:"5986"`
	// Within is how long to wait, such as "90m": reported installations took one to four
	// hours.
	Within string `hcl:"within,optional" default:"3h"`
	// BootKey presses keys while the disk is empty, for a guest with UEFI that starts from
	// an installation CD, which waits a few seconds for a key.
	BootKey bool `hcl:"boot_key,optional"`
	// Pictures is the folder on the host for pictures of the screen.
	Pictures string `hcl:"pictures,optional" default:"/var/lib/kinit/pictures"`
	// Eject are the paths of ISOs that are taken out of the domain's drives when the port
	// is open: users of the guest could read them, and they hold passwords.
	Eject []string `hcl:"eject,optional"`

	open    virt.Opener
	every   time.Duration // between looks; 0 for the usual
	elapsed time.Duration
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "windows_install", New: func() module.Task { return newTask(virt.Open) }})
}

func newTask(open virt.Opener) *Task { return module.SetDefaults(&Task{open: open}) }

func (t *Task) Validate() error {
	switch within, err := time.ParseDuration(t.Within); {
	case t.Domain == "":
		return errors.New("domain is empty: expected the name of a domain")
	case t.Address == "":
		return errors.New("address is empty: expected the guest's address")
	case t.Port < 1 || t.Port > 65535:
		return fmt.Errorf("port %d: expected 1 to 65535", t.Port)
	case err != nil || within <= 0:
		return fmt.Errorf("within %q: expected a duration such as \"90m\"", t.Within)
	}
	for _, file := range append([]string{t.Disk, t.Pictures}, t.Eject...) {
		if !path.IsAbs(file) {
			return fmt.Errorf("disk, pictures and eject: %q: expected an absolute path", file)
		}
	}
	return nil
}

// Plan looks at the port and at what is in the drives.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	var steps []module.Step
	if err := t.knock(ctx, h); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		steps = append(steps, module.NewWait("wait until "+t.what(), t.wait))
	}
	inside, err := t.inside(ctx, h)
	if err != nil {
		return nil, err
	}
	if inside {
		steps = append(steps, module.NewStep("take CDs out of domain "+t.Domain, t.eject))
	}
	return steps, nil
}

func (t *Task) what() string { return fmt.Sprintf("%s answers at %s", t.Domain, t.endpoint()) }

func (t *Task) endpoint() string { return net.JoinHostPort(t.Address, strconv.Itoa(t.Port)) }

// inside reports whether one of the discs is still in a drive. A domain that is not there
// yet, in a dry run, will have them.
func (t *Task) inside(ctx context.Context, h module.Host) (bool, error) {
	if len(t.Eject) == 0 {
		return false, nil
	}
	inside := true
	err := t.open.Do(ctx, h, func(c *virt.Conn) error {
		d, found, err := c.Find(ctx, t.Domain)
		if found {
			inside = slices.ContainsFunc(d.CDs, func(cd string) bool { return slices.Contains(t.Eject, cd) })
		}
		return err
	})
	if errors.Is(err, virt.ErrNotInstalled) {
		return true, nil
	}
	return inside, err
}

func (t *Task) eject(ctx context.Context, h module.Host) error {
	return t.open.Do(ctx, h, func(c *virt.Conn) error {
		if _, _, err := c.FindOwn(ctx, h, t.Domain); err != nil {
			return err
		}
		return c.Eject(ctx, t.Domain, t.Eject)
	})
}

// knockTime is how long one attempt to connect may take.
const knockTime = 5 * time.Second

// knock connects to the port once.
func (t *Task) knock(ctx context.Context, h module.Host) error {
	ctx, cancel := context.WithTimeout(ctx, knockTime)
	defer cancel()
	conn, err := h.Dial(ctx, "tcp", t.endpoint())
	if err != nil {
		return err
	}
	return conn.Close()
}

func (t *Task) wait(ctx context.Context, h module.Host) error {
	within, err := time.ParseDuration(t.Within)
	if err != nil {
		return err
	}
	start := time.Now()
	guest := guestwatch.Guest{
		Domain: t.Domain, Disk: t.Disk, Open: t.open, BootKey: t.BootKey, Pictures: t.Pictures, Every: t.every,
	}
	err = guest.Wait(ctx, h, t.Domain+" to answer at "+t.endpoint(), within, func(ctx context.Context, s guestwatch.Sight) (bool, error) {
		if s.Off {
			return false, fmt.Errorf("domain %s turned off before it answered: see what its screen says with \"kinit console\"", t.Domain)
		}
		return t.knock(ctx, h) == nil, nil
	})
	t.elapsed = time.Since(start)
	return err
}

type Outputs struct {
	Elapsed float64 `cty:"elapsed"` // seconds that were waited
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Elapsed: t.elapsed.Seconds()}, nil
}
