package clr

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet/nettcpip"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (l library) deviceTypes() []interp.Type {
	return []interp.Type{
		{Name: "System.IO.Ports.SerialPort", New: static("SerialPort", 1, 1, l.serialPort)},
		{Name: "System.Net.Sockets.TcpClient", New: static("TcpClient", 0, 1, l.tcpClient)},
		{Name: "System.Management.Automation.WildcardPattern", Statics: map[string]interp.Func{"Escape": static("Escape", 1, 1,
			func(_ context.Context, _ *interp.Session, args []any) (any, error) {
				return strings.NewReplacer("[", "`[", "]", "`]", "*", "`*", "?", "`?").Replace(value.String(args[0])), nil
			})}},
		{Name: "System.Net.Dns", Statics: map[string]interp.Func{"GetHostAddresses": static("GetHostAddresses", 1, 1, l.hostAddresses)}},
	}
}

// serialPort is COM1, which is the machine's console.
func (l library) serialPort(_ context.Context, _ *interp.Session, args []any) (any, error) {
	name := value.String(args[0])
	open := false
	o := value.NewObject("System.IO.Ports.SerialPort", value.P("PortName", name), value.P("WriteTimeout", int32(-1)), value.P("BaudRate", int32(9600)))
	method(o, "Open", 0, 0, func(context.Context, []any) (any, error) {
		if !strings.EqualFold(name, "COM1") {
			return nil, value.NewException("System.IO.IOException", "The port '"+name+"' does not exist.")
		}
		open = true
		return value.Void{}, nil
	})
	method(o, "WriteLine", 1, 1, func(_ context.Context, args []any) (any, error) {
		if !open {
			return nil, value.NewException("System.InvalidOperationException", "The port is closed.")
		}
		l.m.Log("%s", value.String(args[0]))
		return value.Void{}, nil
	})
	method(o, "Close", 0, 0, func(context.Context, []any) (any, error) {
		open = false
		return value.Void{}, nil
	})
	quiet(o, "Dispose")
	return o, nil
}

// hostAddresses looks a name up; what is an address already is that.
func (l library) hostAddresses(ctx context.Context, _ *interp.Session, args []any) (any, error) {
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", value.String(args[0]))
	if own := strings.EqualFold(value.String(args[0]), l.m.ComputerName()); own {
		found, err = []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	if err != nil {
		return nil, value.NewException("System.Net.Sockets.SocketException", "No such host is known")
	}
	var all []any
	for _, address := range found {
		o := value.NewObject("System.Net.IPAddress", value.P("AddressFamily", map[bool]string{true: "InterNetwork", false: "InterNetworkV6"}[address.Unmap().Is4()]))
		o.Text = address.Unmap().String
		all = append(all, o)
	}
	return value.NewArray(all...), nil
}

// tcpClient connects to other machines, and to what listens on this one: over IPv4, unless another family is asked for.
func (l library) tcpClient(_ context.Context, _ *interp.Session, family []any) (any, error) {
	six := len(family) == 1 && value.String(family[0]) == "InterNetworkV6"
	var conn net.Conn
	o := value.NewObject("System.Net.Sockets.TcpClient", &value.Property{Name: "Connected", Get: func() (any, error) { return conn != nil, nil }})
	end := func(context.Context, []any) (any, error) {
		if conn != nil {
			conn.Close()
			conn = nil
		}
		return value.Void{}, nil
	}
	method(o, "Dispose", 0, 0, end)
	method(o, "Close", 0, 0, end)
	method(o, "ConnectAsync", 2, 2, func(ctx context.Context, args []any) (any, error) {
		port, ok := value.Integer(value.Base(args[1]))
		if !ok {
			return nil, unknown.New("a %s as a port", value.TypeName(args[1]))
		}
		if address, err := netip.ParseAddr(value.String(args[0])); err == nil && address.Is6() != six {
			return nil, value.NewException("System.NotSupportedException", "This protocol version is not supported.")
		}
		return l.connecting(value.String(args[0]), int(port), &conn), nil
	})
	return o, nil
}

// dialed is how an attempt to connect ended.
type dialed struct {
	conn net.Conn
	err  error
}

// connecting is the task of an attempt to connect, which begins when it is waited for.
func (l library) connecting(host string, port int, conn *net.Conn) *value.Object {
	o := value.NewObject("System.Threading.Tasks.Task")
	method(o, "Wait", 0, 1, func(ctx context.Context, args []any) (any, error) {
		if len(args) == 1 {
			milliseconds, ok := value.Integer(value.Base(args[0]))
			if !ok {
				return nil, unknown.New("Task.Wait of a %s", value.TypeName(args[0]))
			}
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(milliseconds)*time.Millisecond)
			defer cancel()
		}
		got := l.dial(ctx, host, port)
		if ctx.Err() != nil && len(args) == 1 {
			return false, nil
		}
		if got.err != nil {
			inner := value.NewException("System.Net.Sockets.SocketException", socketMessage(host, port))
			aggregate := value.NewException("System.AggregateException", "One or more errors occurred.")
			aggregate.Inner = inner
			return nil, aggregate
		}
		*conn = got.conn
		return true, nil
	})
	return o
}

// dial connects to what listens on the machine itself, or to another one.
func (l library) dial(ctx context.Context, host string, port int) dialed {
	own := host == "127.0.0.1" || strings.EqualFold(host, "localhost") || strings.EqualFold(host, l.m.ComputerName())
	if a, ok := l.m.Network.Primary(); ok && a.Address.Addr().String() == host {
		own = true
	}
	if _, bound := l.m.Bound(machine.TCP(port)); own && bound {
		near, far := net.Pipe()
		far.Close()
		return dialed{conn: near}
	}
	conn, err := l.m.Dial(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	return dialed{conn, err}
}

func socketMessage(host string, port int) string {
	return fmt.Sprintf("No connection could be made because the target machine actively refused it %s:%d", host, port)
}

// AddHNS makes the type that a script declares to call HNSCall of vmcompute.dll.
func AddHNS(m *machine.Machine, name string) interp.Type {
	return interp.Type{Name: name, Statics: map[string]interp.Func{
		"HNSCall": static(name+".HNSCall", 4, 4, func(_ context.Context, _ *interp.Session, args []any) (any, error) {
			answer := nettcpip.CallHNS(m, value.String(args[0]), value.String(args[1]), value.String(args[2]))
			out, ok := args[3].(*value.Ref)
			if !ok {
				return nil, unknown.New("HNSCall without [ref] for its answer")
			}
			return value.Void{}, out.Set(answer)
		}),
	}}
}
