package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/winrm"
	"kinit/engine/trust"
)

// Open connects as the settings say: to this machine, over WinRM, or over SSH.
func Open(ctx context.Context, s Settings, via transport.Conn) (transport.Conn, error) {
	if s.Local {
		return openLocal(s)
	}
	s.Address = cmp.Or(s.Address, s.Name)
	if s.Address == "" {
		return nil, errors.New("a host needs a name or an address")
	}
	if s.WinRM {
		return openWinRM(ctx, s, via)
	}
	c := s.ssh()
	if via != nil {
		c.Dial = via.Dial
	}
	return ssh.Dial(ctx, c)
}

// openLocal opens the local machine, as another user if the settings say so. The user who runs
// kinit needs no change of user.
func openLocal(s Settings) (transport.Conn, error) {
	if s.system() == module.Windows {
		return nil, fmt.Errorf("%w: kinit does not run on Windows, so this machine is none", transport.ErrUnreachable)
	}
	conn := local.New()
	if self, err := user.Current(); s.Become.User != "" && (err != nil || self.Username != s.Become.User) {
		if conn, err = local.As(s.Become.User, s.Become.Method, s.becomePassword()); err != nil {
			return nil, err // not a nil *local.Conn in a non-nil interface
		}
	}
	conn.Mark(s.Run)
	return conn, nil
}

func openWinRM(ctx context.Context, s Settings, via transport.Conn) (transport.Conn, error) {
	if s.Become.User != "" {
		return nil, fmt.Errorf("%w: %s cannot run programs as another user: log in as %s", transport.ErrAuth, s.Name, s.Become.User)
	}
	c := winrm.Config{
		Name: s.Name, Address: s.Address, Port: s.Port, User: s.User, Password: s.Password,
		Auth: s.Auth, Certificate: s.Certificate, ConnectTimeout: s.ConnectTimeout,
	}
	if via != nil {
		c.Dial = via.Dial
	}
	if s.Auth == winrm.Certificate {
		own, err := s.clientCertificate()
		if err != nil {
			return nil, err
		}
		c.ClientCertificate = own
	}
	return winrm.Dial(ctx, c)
}

// clientCertificate returns the client's certificate and key.
func (s Settings) clientCertificate() (secret.Value, error) {
	if len(s.PrivateKeys) > 0 {
		return s.PrivateKeys[0], nil
	}
	if len(s.IdentityFiles) == 0 {
		return "", fmt.Errorf("%w: %s needs a file with a certificate and its private key, to log in by certificate", transport.ErrAuth, s.Name)
	}
	var all []byte
	for _, file := range s.IdentityFiles { // one file with both, or one for each
		err := trust.Key(file)
		var text []byte
		if err == nil {
			text, err = os.ReadFile(file)
		}
		if err != nil {
			return "", fmt.Errorf("%w: %w", transport.ErrAuth, err)
		}
		all = append(append(all, text...), '\n')
	}
	return secret.Value(all), nil
}
