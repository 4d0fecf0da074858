package machine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Pipe is the address of a named pipe in Bind.
func Pipe(name string) string { return "pipe:" + strings.ToLower(name) }

// TCP is the address of a port in Bind.
func TCP(port int) string { return fmt.Sprintf("tcp:%d", port) }

// sockets is what listens on the machine: ports and named pipes, which are not real
// ones so that several machines fit on one host.
type sockets struct {
	sync.Mutex
	bound map[string]Socket
}

// Socket is what listens at an address.
type Socket struct {
	Process *Process
	Service any // what those who connect talk to
}

// ErrInUse is the failure to listen where something listens already.
var ErrInUse = fmt.Errorf("only one usage of each socket address is normally permitted")

// Bind makes a process listen at an address until the returned function is called.
func (m *Machine) Bind(address string, p *Process, service any) (release func(), err error) {
	m.sockets.Lock()
	defer m.sockets.Unlock()
	if m.sockets.bound == nil {
		m.sockets.bound = map[string]Socket{}
	}
	if _, used := m.sockets.bound[address]; used {
		return nil, ErrInUse
	}
	m.sockets.bound[address] = Socket{Process: p, Service: service}
	return func() {
		m.sockets.Lock()
		defer m.sockets.Unlock()
		delete(m.sockets.bound, address)
	}, nil
}

// Bound returns what listens at an address.
func (m *Machine) Bound(address string) (Socket, bool) {
	m.sockets.Lock()
	defer m.sockets.Unlock()
	l, ok := m.sockets.bound[address]
	return l, ok
}

// Listening lists the ports on which something listens.
func (m *Machine) Listening() []int {
	m.sockets.Lock()
	defer m.sockets.Unlock()
	var ports []int
	for address := range m.sockets.bound {
		if text, ok := strings.CutPrefix(address, "tcp:"); ok {
			if port, err := strconv.Atoi(text); err == nil {
				ports = append(ports, port)
			}
		}
	}
	slices.Sort(ports)
	return ports
}

// hostsFile is where names are looked up first.
const hostsFile = SystemFolder + `\drivers\etc\hosts`

// Dial connects to another machine. Names are those of the machine's hosts file, then
// those that the real host knows.
func (m *Machine) Dial(ctx context.Context, kind, address string) (net.Conn, error) {
	if m.Cut() {
		return nil, fmt.Errorf("dial %s %s: connectex: A socket operation was attempted to an unreachable network", kind, address)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if found := m.lookup(host); found != "" {
		address = net.JoinHostPort(found, port)
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, kind, address)
}

// lookup returns the address of a name in the hosts file, or nothing.
func (m *Machine) lookup(name string) string {
	text, err := m.Files.ReadFile(hostsFile)
	if err != nil {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		for i := 1; i < len(fields); i++ {
			if strings.EqualFold(fields[i], name) {
				return fields[0]
			}
		}
	}
	return ""
}
