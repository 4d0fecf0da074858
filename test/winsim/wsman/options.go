package wsman

import (
	"cmp"
	"crypto/tls"
	"time"

	"kinit/test/winsim/process"
	"kinit/test/winsim/wsman/internal/shell"
)

// Options are what a Server is made of. Runner and Login must be given.
type Options struct {
	Runner process.Runner
	Login  process.Login
	// Certificate is the one of the HTTPS listener. ServeTLS needs it.
	Certificate *tls.Certificate
	// Computer is the machine's NetBIOS name, WINSIM when empty.
	Computer string
	// Version is the version of Windows, 10.0.20348 when empty (Server 2022).
	Version string
	// Language is the one of texts in faults: en-US, which it is when empty, or de-DE.
	Language string
	// Now is the machine's clock, time.Now when nil. NTLM looks at it.
	Now func() time.Time
	// Failed is told when the Runner did not know what to do. The client sees the
	// text on stderr and the exit code 4294967295. Tests fail there.
	Failed func(error)
	// Settings are the ones at the start.
	Settings Settings
}

// Settings are those of winrm/config that an administrator changes. Zero values are
// what a fresh Windows has.
type Settings struct {
	Basic            bool // Service/Auth/Basic
	NoNegotiate      bool // the opposite of Service/Auth/Negotiate
	Certificate      bool // Service/Auth/Certificate, on HTTPS
	AllowUnencrypted bool // Service/AllowUnencrypted
	// StrictBindings is Service/Auth/CbtHardeningLevel Strict: NTLM on HTTPS needs
	// channel bindings. Without it they may be left out, but not be wrong.
	StrictBindings  bool
	MaxEnvelopeSize int           // MaxEnvelopeSizekb in bytes, 512000
	MaxTimeout      time.Duration // MaxTimeoutms, 60 seconds
	Quotas          Quotas        // in force from the next boot
}

// Quotas are limits of what a user may have at the same time. A field that is 0 has
// Windows' own value.
type Quotas = shell.Quotas

func (o Options) withDefaults() Options {
	o.Computer = cmp.Or(o.Computer, "WINSIM")
	o.Version = cmp.Or(o.Version, "10.0.20348")
	o.Language = cmp.Or(o.Language, "en-US")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	return o
}

func (s Settings) withDefaults() Settings {
	s.MaxEnvelopeSize = cmp.Or(s.MaxEnvelopeSize, 500<<10)
	s.MaxTimeout = cmp.Or(s.MaxTimeout, time.Minute)
	return s
}
