package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The network between the controller and its hypervisors, each way.
const (
	lossPercent = 1
	delay       = 15 * time.Millisecond
	jitter      = 5 * time.Millisecond
)

// TestFurtherClusters deploys clusters that others are not like: "make test" has one of them.
func TestFurtherClusters(t *testing.T) {
	const badNetwork, machineOnOverlay = "over a bad network", "with a machine on the overlay"
	chosen := choose(t, badNetwork, machineOnOverlay)
	if chosen(badNetwork) {
		t.Run("OverABadNetwork", overABadNetwork)
	}
	if chosen(machineOnOverlay) {
		t.Run("WithAMachineOnTheOverlay", withAMachineOnTheOverlay)
	}
}

// overABadNetwork deploys a cluster while packets between the
// controller and its hypervisors are late, and some are lost. The pod network is the one
// without a tunnel, which no other test deploys over two hypervisors.
func overABadNetwork(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman")
	lost, heal := worsen(t, k)
	run := []string{"run", "k8s-podman-1-1-1", "--hosts", hosts, "--var", "pod_network=flannel-host-gw"}
	r := k.must(t, append(run, "--output", "json")...)
	bothReady(t, r)
	unchanged(t, k, run)
	n := lost()
	if n < 10 {
		t.Errorf("%d packets were lost, which is too few to show anything", n)
	}
	// Clean-up makes one small change after the other, which takes a minute there.
	if os.Getenv("KINIT_EVERY_FAULT") == "" {
		heal()
	}
	removed(t, k, run)
	t.Logf("deployed in %s; %d packets were lost", r.took.Round(time.Second), n)
}

// passing marks the packets that go to a hypervisor through the delay.
const passing = 0x6b

// worsen delays what is sent between the controller and the lab's hypervisors over SSH, and
// drops one packet in a hundred in each direction, until the test ends. lost returns how many
// were dropped so far. The kernel drops packets, so TCP's own repetition is at work;
// a delay takes a queueing discipline that not every kernel has, so a proxy is between,
// to which the kernel redirects connections. heal ends it before.
func worsen(t *testing.T, k *kinit) (lost func() int, heal func()) {
	t.Helper()
	inventory, err := os.ReadFile(labInventory(k))
	if err != nil {
		t.Fatal(err)
	}
	address := map[string]string{}
	for _, m := range regexp.MustCompile(`(?s)host "(\w+)" \{\s*address\s*=\s*"([^"]+)"`).FindAllStringSubmatch(string(inventory), -1) {
		address[m[1]] = m[2]
	}
	drop := fmt.Sprintf("numgen random mod 100 < %d counter drop", lossPercent)
	const table = "kinit-e2e-network"
	var redirects, returns strings.Builder
	for _, host := range strings.Split(hosts, ",") {
		fmt.Fprintf(&redirects, "ip daddr %s tcp dport 22 meta mark != %#x redirect to :%d\n", address[host], passing, slow(t, address[host]+":22"))
		fmt.Fprintf(&returns, "ip saddr %s tcp sport 22 %s\n", address[host], drop)
		on(t, host, fmt.Sprintf("nft 'table inet %s { chain in { type filter hook input priority 0; tcp dport 22 %s; }; }'", table, drop))
	}
	// A table that an ended test left goes first.
	rules := fmt.Sprintf("table ip %[1]s\ndelete table ip %[1]s\ntable ip %[1]s {\nchain out {\ntype nat hook output priority -100;\n%[2]s}\nchain in {\ntype filter hook input priority 0;\n%[3]s}\n}\n",
		table, redirects.String(), returns.String())
	nft := func(rules string) {
		t.Helper()
		cmd := exec.CommandContext(contextWithoutEnd(), "nft", "-f", "-")
		cmd.Stdin = strings.NewReader(rules)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("nft: %v\n%s\n%s", err, out, rules)
		}
	}
	nft(rules)
	// Adding the table first makes the removal of one that is gone no error.
	heal = func() { nft(fmt.Sprintf("table ip %[1]s\ndelete table ip %[1]s\n", table)) }
	t.Cleanup(heal)
	lost = func() int {
		out, err := exec.CommandContext(t.Context(), "nft", "list", "table", "ip", table).Output()
		if err != nil {
			t.Fatal(err)
		}
		counted := string(out)
		for _, host := range strings.Split(hosts, ",") {
			counted += on(t, host, "nft list table inet "+table)
		}
		sum := 0
		for _, m := range regexp.MustCompile(`counter packets (\d+)`).FindAllStringSubmatch(counted, -1) {
			n, _ := strconv.Atoi(m[1])
			sum += n
		}
		return sum
	}
	return lost, heal
}

// slow passes connections on to an address, with the delay, and returns the port at which
// it takes them.
func slow(t *testing.T, to string) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		if err := c.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_MARK, passing)
		}); err != nil {
			return err
		}
		return failed
	}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer client.Close()
				server, err := dialer.DialContext(t.Context(), "tcp", to)
				if err != nil {
					return
				}
				defer server.Close()
				defer context.AfterFunc(t.Context(), func() {
					_ = client.Close()
					_ = server.Close()
				})()
				var both sync.WaitGroup
				both.Go(func() { late(server, client) })
				both.Go(func() { late(client, server) })
				both.Wait()
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	return listener.Addr().(*net.TCPAddr).Port
}

// late copies what it reads, in order, each piece after the delay, and passes the end on.
func late(to, from net.Conn) {
	type piece struct {
		at   time.Time
		text []byte
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			text := make([]byte, 32<<10)
			n, err := from.Read(text)
			if n > 0 {
				after := delay - jitter + rand.N(2*jitter)
				pieces <- piece{time.Now().Add(after), text[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.at))
		if _, err := to.Write(p.text); err != nil {
			_ = from.Close()
		}
	}
	if tcp, ok := to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}
