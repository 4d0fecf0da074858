// Package wait is the module "wait": it waits until a service is up, or gone.
//
// The host checks a port, a path, a command, or a URL. Waiting changes nothing, unless a
// watchdog restarts what is waited for; it is a step only so that a dry run shows it.
package wait

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/httpclient"
)

// Task waits for exactly one of port, path, argv and url. Planning checks once; if the
// condition already holds, there is nothing to do.
//
// Errors:
//   - the condition did not hold within the time; the error has the last cause and the evidence
//   - none or several of port, path, argv and url are given
type Task struct {
	// Port is a TCP port that accepts connections from the host.
	Port int `hcl:"port,optional"`
	// Address is the name or address for the port. The default is the host itself.
	Address string `hcl:"address,optional" default:"127.0.0.1"`
	// Banner is the text that the server at the port must send first, such as "SSH-".
	Banner string `hcl:"banner,optional"`
	// Path is an absolute path that exists.
	Path string `hcl:"path,optional" path:"clean"`
	// Argv is a command, which changes nothing, that ends with 0.
	Argv []string `hcl:"argv,optional"`
	// Expect is a text or regular expression that the file at path, the output of
	// argv, or the answer of url must contain. The first 1 MiB is searched.
	Expect string `hcl:"expect,optional"`
	// URL is an http or https URL that answers, without following redirects.
	URL string `hcl:"url,optional"`
	// Status is the expected status code of url.
	Status int `hcl:"status,optional" default:"200"`
	// CAPEM are the certificates, in PEM, that verify url's server.
	// Default: those of the machine kinit runs on.
	CAPEM string `hcl:"ca_pem,optional"`
	// Insecure accepts any certificate of url's server.
	Insecure bool `hcl:"insecure,optional"`
	// Gone waits until the condition no longer holds.
	Gone bool `hcl:"gone,optional"`
	// Within is how long to wait, such as "90s", on a host of ordinary speed; on a slower
	// one it is longer. If the task's timeout is shorter, it ends the task without evidence.
	Within module.Duration `hcl:"within,optional" default:"5m" like:"90s"`
	// Evidence are commands that run on the host when the time is over; their output, up to
	// 40 lines each, is added to the error.
	Evidence [][]string `hcl:"evidence,optional"`
	// Watchdog restarts what is waited for if it stops working. Default: nothing is restarted.
	Watchdog *Watchdog `hcl:"watchdog,block"`

	elapsed time.Duration
	restart string // what the watchdog has done
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "wait", Elsewhere: "win_wait"})
}

func (t *Task) Validate() error {
	if lists.Count(t.Port != 0, t.Path != "", len(t.Argv) > 0, t.URL != "") != 1 {
		return errors.New("want exactly one of port, path, argv and url")
	}
	for _, argv := range t.Evidence {
		if len(argv) == 0 {
			return errors.New("evidence has an empty command, want a program and its arguments")
		}
	}
	return errors.Join(t.checkTarget(), t.Watchdog.validate())
}

func (t *Task) checkTarget() error {
	switch {
	case t.Port < 0 || t.Port > 65535:
		return fmt.Errorf("port is %d, want 1 to 65535", t.Port)
	case t.Port == 0 && t.Banner != "":
		return errors.New("banner is what a port says, want it beside port only")
	case t.Expect != "" && t.Port != 0:
		return errors.New("expect is about text, want it beside path, argv or url only: for a port use banner")
	case t.URL != "":
		return t.client().Validate(t.URL)
	}
	return nil
}

func (t *Task) client() httpclient.Options {
	return httpclient.Options{CAPEM: t.CAPEM, Insecure: t.Insecure, Connect: lookTime}
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	done, _, err := t.look(ctx, h)
	if err != nil || done {
		return nil, err
	}
	return []module.Step{module.NewWait("wait for "+t.what(h), t.wait)}, nil
}

type Outputs struct {
	Elapsed   float64 `cty:"elapsed"`   // seconds that were waited
	Restarted bool    `cty:"restarted"` // whether the watchdog restarted what was waited for
}

// Outputs returns the time that was waited, and what the watchdog did.
func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Elapsed: t.elapsed.Seconds(), Restarted: t.restart != ""}, nil
}

// MessageText returns what the watchdog has done.
func (t *Task) MessageText() string { return t.restart }
