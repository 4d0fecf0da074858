package kubeadm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"time"

	_ "embed"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/certfile"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
)

//go:embed restart.sh
var restartScript string

// renewalFile says that certificates are being renewed, until all programs use them.
const renewalFile = "/etc/kubernetes/kinit-renewal"

// renewed are the files whose certificates kubeadm renews
// (https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-certs/).
var renewed = []string{
	pkiDir + "/apiserver.crt", pkiDir + "/apiserver-etcd-client.crt", pkiDir + "/apiserver-kubelet-client.crt", pkiDir + "/front-proxy-client.crt",
	pkiDir + "/etcd/server.crt", pkiDir + "/etcd/peer.crt", pkiDir + "/etcd/healthcheck-client.crt",
	adminConf, "/etc/kubernetes/super-admin.conf", "/etc/kubernetes/controller-manager.conf", "/etc/kubernetes/scheduler.conf",
}

// restarted are the programs that read them only when they start, by the names that the kernel has.
// etcd reads its own for each connection, and goes on: without its leader, writes would have to wait.
var restarted = []string{"kube-apiserver", "kube-controller", "kube-scheduler"}

// CertsTask renews the certificates that kubeadm has made on a controller before they end.
//
// The API server, the controller manager and the scheduler start again then, one after the other, each when the
// API server answers. Tasks on other controllers should follow one by one, as with serial = 1. An
// interrupted renewal is done again. Keys and certificates of authorities stay.
//
// Errors:
//   - kubeadm fails; the error has its last lines
//   - a program of the control plane does not start again, or the API server does not answer, within wait
type CertsTask struct {
	// RenewBefore is how long before its end a certificate is renewed, and all others with it. One
	// that does not last longer than that at all is renewed in the last third of its life.
	RenewBefore module.Duration `hcl:"renew_before,optional" default:"720h"`
	// Now renews the certificates however long they last.
	Now bool `hcl:"now,optional"`
	// Port is the port of the node's API server.
	Port int `hcl:"port,optional" default:"6443"`
	// Wait is how long each program can take to start again, such as "5m".
	Wait module.Duration `hcl:"wait,optional" default:"5m"`
}

func CertsKind() module.Kind {
	return module.With[CertsTask, CertsOutputs](module.Kind{Name: "kubeadm_certs"})
}

func (t *CertsTask) Validate() error {
	return cmp.Or(checkPort("port", t.Port),
		checkDuration("renew_before", t.RenewBefore, "720h"), checkDuration("wait", t.Wait, "720h"))
}

// checkPort returns the mistake in the number of a port.
func checkPort(argument string, port int) error {
	if port < 1 || port > 65535 {
		return fmt.Errorf("%s is %d, expected a port", argument, port)
	}
	return nil
}

// checkDuration returns the mistake in a duration, which is above zero.
func checkDuration(argument string, value module.Duration, example string) error {
	if value.Time() <= 0 {
		return fmt.Errorf("%s is %q, expected a duration such as %q", argument, string(value), example)
	}
	return nil
}

// Unverifiable reports whether no condition shows if a renewal is still needed.
func (t *CertsTask) Unverifiable() bool { return t.Now }

// Plan reads the certificates and whether a renewal was interrupted.
func (t *CertsTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	found, err := certfile.Read(ctx, h, renewed...)
	if err != nil {
		return nil, err
	}
	interrupted, err := hostfile.Exists(ctx, h, renewalFile)
	if err != nil {
		return nil, err
	}
	reason := decide(found, interrupted, t.Now, t.RenewBefore.Time(), time.Now())
	if reason == "" {
		return nil, nil
	}
	return module.OneStep("renew the certificates of Kubernetes on "+h.Name()+" and start its control plane again: "+reason, t.do), nil
}

// decide returns why certificates are renewed at a time, or nothing.
func decide(found []certfile.Certificate, interrupted, now bool, before time.Duration, at time.Time) string {
	if len(found) == 0 {
		return "" // The node is not made yet.
	}
	first := slices.MinFunc(found, func(a, b certfile.Certificate) int { return due(a, before).Compare(due(b, before)) })
	switch {
	case interrupted:
		return "a renewal was interrupted"
	case due(first, before).Before(at):
		return path.Base(first.Path) + " ends " + first.NotAfter.UTC().Format(time.RFC3339)
	case now:
		return "that is asked for"
	}
	return ""
}

// due returns when a certificate is to be renewed. A new certificate is never due, or each run would
// renew it again.
func due(c certfile.Certificate, before time.Duration) time.Time {
	if life := c.NotAfter.Sub(c.NotBefore); life <= before {
		before = life / 3
	}
	return c.NotAfter.Add(-before)
}

// do can be repeated: the mark stays until all programs use the new certificates.
func (t *CertsTask) do(ctx context.Context, h module.Host) error {
	if err := hostfile.Write(ctx, h, renewalFile, "", module.Attr{Mode: 0o600}); err != nil {
		return err
	}
	if err := kubeadm(ctx, h, "kubeadm", "certs", "renew", "all"); err != nil {
		return err
	}
	for _, program := range restarted {
		if err := t.restart(ctx, h, program); err != nil {
			return err
		}
	}
	if err := h.Files().Remove(ctx, renewalFile); err != nil {
		return fmt.Errorf("remove %s: %w", renewalFile, err)
	}
	return nil
}

// restart ends a program, and waits until it and the API server run again.
func (t *CertsTask) restart(ctx context.Context, h module.Host, program string) error {
	h.Report(event.Progress{Text: "start " + program + " again"})
	limited, limit := module.Within(ctx, h, t.Wait.Time())
	_, err := h.Run(limited, module.Command{Argv: []string{"sh", "-c", restartScript, "restart", program}})
	limit.End()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("the kubelet of %s has not started %s again after %v", h.Name(), program, limit)
	case err != nil:
		return fmt.Errorf("start %s again: %w", program, err)
	}
	err = kubeapi.Wait(ctx, h, t.Wait.Time(), func(ctx context.Context) (bool, error) { return ready(ctx, h, t.Port) })
	if err != nil {
		return fmt.Errorf("wait for the API server of %s after %s has started again: %w", h.Name(), program, err)
	}
	return nil
}

// ready queries a node's own API server.
func ready(ctx context.Context, h module.Host, port int) (bool, error) {
	ca, _, err := hostfile.Read(ctx, h, pkiDir+"/ca.crt")
	if err != nil {
		return false, err
	}
	// kubeadm puts the name "kubernetes" into every API server's certificate.
	local := kubeapi.Config{
		Server: "https://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), CA: ca, Name: "kubernetes",
	}
	return local.Ready(ctx, h)
}

type CertsOutputs struct {
	NotAfter string `cty:"not_after"` // end of the certificate that ends first, in RFC 3339
}

func (t *CertsTask) Outputs(ctx context.Context, h module.Host) (CertsOutputs, error) {
	found, err := certfile.Read(ctx, h, renewed...)
	if err != nil || len(found) == 0 {
		return CertsOutputs{}, err
	}
	first := slices.MinFunc(found, func(a, b certfile.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
	return CertsOutputs{NotAfter: first.NotAfter.UTC().Format(time.RFC3339)}, nil
}
