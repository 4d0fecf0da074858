package virt

import (
	"context"
	"errors"
	"fmt"

	"libvirt.org/go/libvirt"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// The ways in which a host has no usable libvirt. Errors of Open wrap one.
var (
	// ErrNotInstalled says that there is no libvirt, so there is no domain either.
	ErrNotInstalled = errors.New("libvirt is not installed")
	// ErrNotRunning says that libvirt is there and does not answer.
	ErrNotRunning = errors.New("libvirt does not answer")
	// ErrNoLibrary says that the machine that runs kinit lacks libvirt's client library.
	ErrNoLibrary = errors.New("libvirt's client library libvirt.so.0 cannot be loaded on the machine that runs kinit")
)

// sockets are where libvirtd and, on hosts with a daemon for each driver,
// virtqemud listen (libvirt.org/daemons.html).
func sockets() []string {
	return []string{"/run/libvirt/libvirt-sock", "/run/libvirt/virtqemud-sock"}
}

// definitions is where libvirt keeps the domains of QEMU. Where this folder is
// missing libvirt has never run.
const definitions = "/etc/libvirt/qemu"

func findSocket(ctx context.Context, h module.Host) (string, error) {
	for _, path := range append(sockets(), definitions) {
		_, there, err := hostfile.Look(ctx, h, path)
		switch {
		case err != nil:
			return "", err
		case there && path == definitions:
			return "", notAnswering(h.Name(), fmt.Errorf("%s is missing", sockets()[0]))
		case there:
			return path, nil
		}
	}
	return "", fmt.Errorf("%w on %s: neither %s nor %s exists; install the package libvirt-daemon-system",
		ErrNotInstalled, h.Name(), sockets()[0], definitions)
}

// notAnswering wraps why libvirt could not be reached with what to do. A context
// that ended is no fault of libvirt.
func notAnswering(host string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w on %s: start it with \"systemctl start libvirtd\" and see \"journalctl -u libvirtd\": %w",
		ErrNotRunning, host, err)
}

// apiError is libvirt's error with what was attempted. Its text leaves out
// libvirt's numbers; errors.Is finds them.
type apiError struct {
	what string
	err  libvirt.Error
}

func (e apiError) Error() string { return e.what + ": " + e.err.Message }
func (e apiError) Unwrap() error { return e.err }

func explain(what string, err error) error {
	if api, ok := errors.AsType[libvirt.Error](err); ok {
		return apiError{what: what, err: api}
	}
	return err
}

// Unsupported reports whether libvirt refused a domain because the host cannot
// run one of its kind.
func Unsupported(err error) bool {
	return errors.Is(err, libvirt.ERR_CONFIG_UNSUPPORTED) || errors.Is(err, libvirt.ERR_INVALID_ARG)
}
