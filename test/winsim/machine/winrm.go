package machine

import (
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/test/winsim/machine/registry"
)

// wsmanKey is where WS-Management keeps its settings.
const wsmanKey = windowsVersion + `\WSMAN`

// Listener is where WS-Management listens.
type Listener struct {
	Transport  string // HTTP or HTTPS
	Address    string // "*" for all
	Port       int
	Thumbprint string // of the certificate of HTTPS
	Hostname   string
}

// WinRMSetting is a setting of WS-Management by its path below localhost, with the
// default of Windows Server.
type WinRMSetting struct{ Path, Default string }

// WinRMSettings are the settings that are known, as the drive WSMan: shows them.
func WinRMSettings() []WinRMSetting {
	return []WinRMSetting{
		{"MaxEnvelopeSizekb", "500"}, {"MaxTimeoutms", "60000"}, {"MaxBatchItems", "32000"}, {"MaxProviderRequests", "4294967295"},
		{`Client\AllowUnencrypted`, "false"}, {`Client\TrustedHosts`, ""},
		{`Service\AllowUnencrypted`, "false"}, {`Service\MaxConcurrentOperationsPerUser`, "1500"}, {`Service\MaxConnections`, "300"},
		{`Service\MaxPacketRetrievalTimeSeconds`, "120"}, {`Service\AllowRemoteAccess`, "true"},
		{`Service\Auth\Basic`, "false"}, {`Service\Auth\Kerberos`, "true"}, {`Service\Auth\Negotiate`, "true"},
		{`Service\Auth\Certificate`, "false"}, {`Service\Auth\CredSSP`, "false"},
		{`Shell\AllowRemoteShellAccess`, "true"}, {`Shell\IdleTimeout`, "7200000"}, {`Shell\MaxConcurrentUsers`, "2147483647"},
		{`Shell\MaxProcessesPerShell`, "2147483647"}, {`Shell\MaxMemoryPerShellMB`, "2147483647"}, {`Shell\MaxShellsPerUser`, "2147483647"},
	}
}

// WinRM returns a setting of WS-Management by its path, and whether there is such one.
func (m *Machine) WinRM(path string) (string, bool) {
	for _, s := range WinRMSettings() {
		if !strings.EqualFold(s.Path, path) {
			continue
		}
		if v, ok := m.Registry.Get(wsmanKey, s.Path); ok {
			return v.Text, true
		}
		return s.Default, true
	}
	return "", false
}

// SetWinRM changes a setting of WS-Management.
func (m *Machine) SetWinRM(path, text string) error {
	for _, s := range WinRMSettings() {
		if strings.EqualFold(s.Path, path) {
			return m.Registry.Set(wsmanKey, registry.Text(s.Path, text))
		}
	}
	return fmt.Errorf("there is no setting %s", path)
}

func listenerKey(l Listener) string {
	return wsmanKey + `\Listener\` + l.Address + "+" + strings.ToUpper(l.Transport)
}

// Listeners lists where WS-Management listens.
func (m *Machine) Listeners() []Listener {
	names, err := m.Registry.Keys(wsmanKey + `\Listener`)
	if err != nil {
		return nil
	}
	var all []Listener
	for _, name := range names {
		address, transport, _ := strings.Cut(name, "+")
		l := Listener{Transport: transport, Address: address}
		key := wsmanKey + `\Listener\` + name
		port, _ := m.Registry.Get(key, "Port")
		l.Port = int(port.Number)
		l.Thumbprint, l.Hostname = m.Registry.Text(key, "certThumbprint"), m.Registry.Text(key, "hostname")
		all = append(all, l)
	}
	return all
}

// AddListener makes a listener, or changes the one of the same transport and address.
func (m *Machine) AddListener(l Listener) error {
	return m.Registry.Set(listenerKey(l), registry.Number("Port", uint32(l.Port)),
		registry.Text("certThumbprint", l.Thumbprint), registry.Text("hostname", l.Hostname), registry.Number("enabled", 1))
}

// RemoveListener removes a listener.
func (m *Machine) RemoveListener(l Listener) error { return m.Registry.Delete(listenerKey(l), true) }

// Reachable reports whether a TCP connection to a port passes the firewall, by the
// category of the network that the machine is in.
func (m *Machine) Reachable(port int) bool {
	a, ok := m.Network.Primary()
	if !ok {
		return false
	}
	profile := strings.TrimSuffix(a.Category, "Authenticated")
	return m.Firewall.Admits(profile, port)
}

// StoredCertificate is a certificate of the machine's own store, with its key.
type StoredCertificate struct {
	Thumbprint string `json:"thumbprint"` // SHA-1, upper case
	Subject    string `json:"subject"`
	CertPEM    []byte `json:"cert"`
	KeyPEM     []byte `json:"key"`
}

// NewCertificate is a certificate, in DER, with its key as the store keeps them.
func NewCertificate(der []byte, key any) (StoredCertificate, error) {
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return StoredCertificate{}, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return StoredCertificate{}, err
	}
	sum := sha1.Sum(der)
	return StoredCertificate{
		Thumbprint: strings.ToUpper(hex.EncodeToString(sum[:])), Subject: certificate.Subject.String(),
		CertPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		KeyPEM:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// Certificates lists the certificates of Cert:\LocalMachine\My.
func (m *Machine) Certificates() []StoredCertificate {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.state.Certificates)
}

// AddCertificate puts a certificate into Cert:\LocalMachine\My; one that is there stays.
func (m *Machine) AddCertificate(c StoredCertificate) error {
	return m.change(func(s *state) {
		same := func(old StoredCertificate) bool { return old.Thumbprint == c.Thumbprint }
		if !slices.ContainsFunc(s.Certificates, same) {
			s.Certificates = append(s.Certificates, c)
		}
	})
}

// WithPort is the listener with the port of its transport where none is given.
func (l Listener) WithPort() Listener {
	if l.Port == 0 {
		l.Port = map[bool]int{true: 5986, false: 5985}[strings.EqualFold(l.Transport, "HTTPS")]
	}
	return l
}

// Name is what the drive WSMan: calls the listener: a number that its address and
// transport always give.
func (l Listener) Name() string {
	sum := uint32(0)
	for _, c := range l.Address + l.Transport {
		sum = sum*31 + uint32(c)
	}
	return "Listener_" + strconv.FormatUint(uint64(sum%2000000000), 10)
}
