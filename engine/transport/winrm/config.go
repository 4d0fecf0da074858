package winrm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"kinit/engine/secret"
)

// The ways to log in.
const (
	Basic       = "basic"       // user and password of a local account, within TLS
	NTLM        = "ntlm"        // user and password; messages are encrypted, without TLS
	Certificate = "certificate" // a client certificate that is mapped to a local account, within TLS
)

// The ports of WinRM's listeners, from version 2.0 on.
const (
	portHTTP  = 5985
	portHTTPS = 5986
)

// The defaults of a Config. The outage is longer than the minute for which a machine may
// not answer when its first virtual network is made.
const (
	defaultConnectTimeout = 15 * time.Second
	defaultOutage         = 2 * time.Minute
)

// Config holds how to reach one machine and how to verify it.
type Config struct {
	Name     string // for messages, and a second name its certificate may have; Address if empty
	Address  string // host name or IP address
	Port     int    // 5986, or 5985 for NTLM, when 0
	User     string // "user", "DOMAIN\user" or "user@domain"; not for Certificate
	Password secret.Value

	Auth string // Basic, NTLM or Certificate; Basic when empty
	// Certificate is in PEM: the machine's own certificate, or that of the authority that
	// has signed it. Nothing else is accepted. If it is empty, the authorities that this
	// machine trusts are accepted. Not for NTLM, which uses no TLS.
	Certificate string
	// ClientCertificate is in PEM the certificate and the private key of a Certificate
	// login.
	ClientCertificate secret.Value

	// Dial makes the connection to the machine; nil dials directly. For a machine behind
	// another it is the Dial of that machine's Conn.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	ConnectTimeout time.Duration // for TCP, and then for TLS, 15 s each when 0
	// Outage is how long a machine may not answer before a command on it is given up,
	// 2 min when 0.
	Outage time.Duration

	poll   time.Duration // how long the machine may hold a Receive; 20 s when 0
	answer time.Duration // how long any other answer may take, and a Receive longer than poll; 60 s when 0
}

// How long the machine may hold a Receive, and how long answers may take. The first
// is far below the 60 s that are WinRM's default limit (MaxTimeoutms).
const (
	defaultPoll   = 20 * time.Second
	defaultAnswer = 60 * time.Second
)

// complete sets the defaults and returns an error for wrong settings.
func (c Config) complete() (Config, error) {
	c.Auth, c.Name = cmp.Or(c.Auth, Basic), cmp.Or(c.Name, c.Address)
	port := portHTTPS
	if c.Auth == NTLM {
		port = portHTTP
	}
	c.Port = cmp.Or(c.Port, port)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	c.ConnectTimeout, c.Outage = cmp.Or(c.ConnectTimeout, defaultConnectTimeout), cmp.Or(c.Outage, defaultOutage)
	c.poll, c.answer = cmp.Or(c.poll, defaultPoll), cmp.Or(c.answer, defaultAnswer)
	return c, c.check()
}

func (c Config) check() error {
	switch c.Auth {
	case Basic, NTLM:
		if c.User == "" || c.Password == "" {
			return fmt.Errorf("%s needs a user and a password to log in by %s", c.Name, c.Auth)
		}
	case Certificate:
		if c.ClientCertificate == "" {
			return fmt.Errorf("%s needs a client certificate with its private key to log in", c.Name)
		}
	default:
		return fmt.Errorf("%q is no way to log in: it is %q, %q or %q", c.Auth, Basic, NTLM, Certificate)
	}
	if c.Auth == NTLM && c.Certificate != "" {
		return fmt.Errorf("%s has a certificate to be pinned, but NTLM goes without TLS: leave one of them out", c.Name)
	}
	if c.Address == "" {
		return errors.New("a machine needs an address")
	}
	return nil
}

func (c Config) address() string {
	return net.JoinHostPort(c.Address, strconv.Itoa(c.Port))
}

// url returns the URL for messages.
func (c Config) url() string {
	u := url.URL{Scheme: "https", Host: c.address(), Path: "/wsman"}
	if c.Auth == NTLM {
		u.Scheme = "http"
	}
	return u.String()
}

// label returns the machine's name for messages, with the address if that is different.
func (c Config) label() string {
	if c.Name == c.Address {
		return c.address()
	}
	return c.Name + " (" + c.address() + ")"
}
