//go:build linux

// Winsim runs a simulated Windows Server: a model of one, which answers over WinRM and
// SSH as a real one does. It is no Windows and runs no program of Windows.
//
// With -guest it is the first process of a virtual machine and plays its Windows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"kinit/test/winsim/endpoint"
	"kinit/test/winsim/guest"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/setup"
)

// options are the flags.
type options struct {
	guest                                    bool
	state, release, language, name, password string
	listen, http, https, ssh                 string
	cds                                      []string
	console                                  string
	bootTime, dropTime, skew                 time.Duration
	noDefender                               bool
	hostKey, authorizedKeys                  string
	routes                                   bool
	adapter                                  network.Adapter
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "winsim:", err)
		os.Exit(1)
	}
}

// run serves a machine until ctx ends or the machine is shut down.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	console := io.Writer(out)
	if o.console != "" {
		file, err := os.OpenFile(o.console, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer file.Close()
		console = io.MultiWriter(out, file)
	}
	log := printer(console)
	log("this is winsim, a simulated Windows Server of kinit's tests: no Windows runs here")
	if o.guest {
		return guest.Run(ctx, log, func(ctx context.Context, m guest.Machine) error { return o.in(m).serve(ctx, log) })
	}
	return o.serve(ctx, log)
}

// printer writes lines, one at a time.
func printer(to io.Writer) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(to, "%s\r\n", line)
	}
}

func parse(args []string) (options, error) {
	var o options
	var address, gateway, dns string
	f := flag.NewFlagSet("winsim", flag.ContinueOnError)
	f.BoolVar(&o.guest, "guest", false, "be the first process of a virtual machine, which is the machine's hardware")
	f.StringVar(&o.state, "state", "", "folder with all of the machine; made where it is missing")
	f.StringVar(&o.release, "release", "2k22", "of a machine that no CD installs: 2k19, 2k22 or 2k25")
	f.StringVar(&o.language, "language", "en-US", "of a machine that no CD installs: en-US or de-DE")
	f.StringVar(&o.name, "name", "WIN-KINITSIM", "computer name of a machine that no CD installs")
	f.StringVar(&o.password, "password-file", "", "file with the administrator's password of a machine that no CD installs")
	f.StringVar(&o.hostKey, "ssh-host-key", "", "file with OpenSSH's host key of a machine that no CD installs")
	f.StringVar(&o.authorizedKeys, "ssh-authorized-keys", "", "file with the keys that open OpenSSH of a machine that no CD installs; the release must have OpenSSH: 2k25")
	f.BoolVar(&o.routes, "routes", false, "add the machine's routes to the real host, which must be a container of its own with the program ip")
	f.StringVar(&o.listen, "listen", "", "address of the real host to serve on; empty for all")
	f.StringVar(&o.http, "http-port", "5985", "port of the real host for WinRM over HTTP; empty for none")
	f.StringVar(&o.https, "https-port", "5986", "port of the real host for WinRM over HTTPS; empty for none")
	f.StringVar(&o.ssh, "ssh-port", "22", "port of the real host for SSH; empty for none")
	f.StringVar(&o.console, "console", "", "file or device that is the serial console, besides the standard output")
	f.DurationVar(&o.bootTime, "boot-time", 5*time.Second, "how long a boot takes")
	f.DurationVar(&o.dropTime, "drop-time", 5*time.Second, "how long the network is gone at the first network of containers")
	f.DurationVar(&o.skew, "skew", 0, "what the machine's clock is ahead")
	f.BoolVar(&o.noDefender, "no-defender", false, "leave Microsoft Defender out")
	f.StringVar(&o.adapter.MAC, "mac", "52-54-00-12-34-56", "address of the network card")
	f.IntVar(&o.adapter.MTU, "mtu", 1500, "size of packets of the network card")
	f.StringVar(&address, "address", "", "IPv4 address of the network card with the length of its prefix")
	f.StringVar(&gateway, "gateway", "", "default gateway")
	f.StringVar(&dns, "dns", "", "name server")
	f.Func("cd", "folder with the content of a CD; may be given several times, the first is D:", func(folder string) error {
		o.cds = append(o.cds, folder)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.state == "" && !o.guest {
		return o, errors.New("-state is missing, want a folder")
	}
	return o, o.network(address, gateway, dns)
}

// network reads the addresses of the network card.
func (o *options) network(address, gateway, dns string) error {
	if address == "" {
		o.adapter = network.Adapter{}
		return nil
	}
	o.adapter = virtIO(o.adapter)
	a := &o.adapter
	var err error
	if a.Address, err = netip.ParsePrefix(address); err != nil {
		return err
	}
	if gateway != "" {
		if a.Gateway, err = netip.ParseAddr(gateway); err != nil {
			return err
		}
	}
	if dns != "" {
		server, err := netip.ParseAddr(dns)
		if err != nil {
			return err
		}
		a.DNS = []netip.Addr{server}
	}
	return nil
}

// virtIO is a network card as Windows shows one of QEMU's, with its hardware address and
// its addresses.
func virtIO(a network.Adapter) network.Adapter {
	a.Name, a.Description, a.Index, a.Category, a.DHCP = "Ethernet", "Red Hat VirtIO Ethernet Adapter", 6, "Public", true
	a.MAC = strings.ToUpper(strings.ReplaceAll(a.MAC, ":", "-"))
	return a
}

// in is the machine that is played in a virtual machine.
func (o options) in(m guest.Machine) options {
	o.state, o.cds, o.adapter = m.State, m.CDs, network.Adapter{}
	if c := m.Card; c.Address.IsValid() {
		o.adapter = virtIO(network.Adapter{MAC: c.MAC.String(), MTU: c.MTU, Address: c.Address, Gateway: c.Gateway, DNS: c.DNS})
	}
	return o
}

// ports are the addresses of the real host by the machine's ports.
func (o options) ports() (map[int]string, error) {
	all := map[int]string{}
	for port, text := range map[int]string{endpoint.HTTP: o.http, endpoint.HTTPS: o.https, endpoint.SSH: o.ssh} {
		if text == "" {
			continue
		}
		if _, err := strconv.ParseUint(text, 10, 16); err != nil {
			return nil, fmt.Errorf("the port %q for %d is no number", text, port)
		}
		all[port] = net.JoinHostPort(o.listen, text)
	}
	return all, nil
}

// serve installs the machine where it is new, boots it and serves it.
func (o options) serve(ctx context.Context, log func(string)) error {
	listen, err := o.ports()
	if err != nil {
		return err
	}
	m, err := setup.Prepare(o.machine(log), o.cds)
	if err != nil {
		return err
	}
	if o.adapter.Address.IsValid() {
		if err := m.Network.Plug(o.adapter); err != nil {
			return err
		}
	}
	if o.password != "" {
		text, err := os.ReadFile(o.password)
		if err != nil {
			return err
		}
		if err := m.Accounts.SetPassword("Administrator", strings.TrimRight(string(text), "\r\n")); err != nil {
			return fmt.Errorf("set the administrator's password: %w", err)
		}
	}
	if err := o.openSSH(m.Machine); err != nil {
		return fmt.Errorf("open OpenSSH: %w", err)
	}
	if o.routes {
		if err := m.Network.Follow(follow); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	e, err := endpoint.New(ctx, m.Machine, endpoint.Options{Listen: listen, Failed: func(err error) { log("simulator: " + err.Error()) }})
	if err != nil {
		return err
	}
	defer e.Close()
	defer stop()
	if err := m.Start(ctx); err != nil {
		return err
	}
	m.Close()
	if unknown := m.Unknowns(); len(unknown) > 0 {
		return fmt.Errorf("the machine was asked for what it does not know: %s", strings.Join(unknown, "; "))
	}
	return nil
}

// machine is what the machine is made of.
func (o options) machine(log func(string)) machine.Options {
	release, _ := machine.FindRelease(o.release)
	made := machine.Options{
		Folder: o.state, Release: release, Language: o.language, Name: o.name, BootTime: o.bootTime, DropTime: o.dropTime,
		Skew: o.skew, NoDefender: o.noDefender, Log: log,
	}
	switch {
	case o.adapter.Address.IsValid():
		made.Adapters = []network.Adapter{o.adapter}
	case o.guest:
		made.Adapters = []network.Adapter{}
	}
	return made
}
