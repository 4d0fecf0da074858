package winseed

import (
	"errors"
	"fmt"
	"path"

	"kinit/modules/internal/media"
	"kinit/modules/internal/wincd"
)

func (t *Task) Validate() error {
	if err := media.Check(t.Path); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	return errors.Join(
		t.validateSystem(), wincd.CheckHostname(t.Hostname), wincd.CheckPassword(t.Password),
		t.HostKey.Check(), t.validateFiles(),
	)
}

func (t *Task) validateSystem() error {
	switch {
	case t.Certificate == "" || t.PrivateKey == "":
		return errors.New("expected certificate and private_key, which WinRM over HTTPS needs")
	case t.MTU != 0 && (t.MTU < 576 || t.MTU > 65535):
		// Windows requires at least the minimum of every IPv4 host (RFC 791).
		return fmt.Errorf("mtu %d: expected 576 to 65535 bytes", t.MTU)
	}
	return t.media().Check()
}

func (t *Task) validateFiles() error {
	if err := wincd.CheckPath(t.Marker); err != nil {
		return fmt.Errorf("marker %w", err)
	}
	if t.OpenSSH != "" && !path.IsAbs(t.OpenSSH) {
		return fmt.Errorf("openssh %q: expected an absolute path of the host", t.OpenSSH)
	}
	for i, f := range t.Files {
		if err := wincd.CheckPath(f.Path); err != nil {
			return fmt.Errorf("file %d: path %w", i+1, err)
		}
		if f.Source != "" && (f.Content != "" || !path.IsAbs(f.Source)) {
			return fmt.Errorf("file %d: source %q: expected an absolute path of the host, without content", i+1, f.Source)
		}
	}
	return nil
}
