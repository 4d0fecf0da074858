package host

import (
	"context"
	"fmt"
	"os"

	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/winrm"
)

func openWinRM(ctx context.Context, s Settings, via transport.Conn) (transport.Conn, error) {
	if s.Become.User != "" {
		return nil, fmt.Errorf("%w: on %s nobody becomes another user: log in as %s", transport.ErrAuth, s.Name, s.Become.User)
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
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("%w: %w", transport.ErrAuth, err)
		}
		all = append(append(all, text...), '\n')
	}
	return secret.Value(all), nil
}
