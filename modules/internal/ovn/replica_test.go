package ovn_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/ovntest"
	"kinit/modules/internal/ovn/sb"
	"kinit/modules/internal/ovn/vs"
)

func TestReadSeesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	servers.NB("ls-add", "other", "--", "lsp-add", "other", "p1", "--", "lsp-set-addresses", "p1", "02:00:00:00:00:01 10.9.0.1")
	rows := read(t, servers)
	s := rows.SwitchesNamed("other")
	if len(s) != 1 {
		t.Fatalf("switches named other: %+v, want one", s)
	}
	port, found := rows.SwitchPort("p1")
	if !found || !slices.Equal(port.Addresses, []string{"02:00:00:00:00:01 10.9.0.1"}) {
		t.Errorf("port p1: %+v", port)
	}
	if of, found := rows.SwitchOf(port.UUID); !found || of.UUID != s[0].UUID {
		t.Errorf("p1 is on %+v, want %+v", of, s[0])
	}
}

// read returns all rows of the northbound database.
func read(t *testing.T, servers *ovntest.Servers) nb.Rows {
	t.Helper()
	var rows nb.Rows
	session := openNB(t, servers)
	if err := session.Read(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func openNB(t *testing.T, servers *ovntest.Servers) *ovn.Replica {
	t.Helper()
	session, err := ovn.Open(t.Context(), servers.Host("c1"), ovn.Northbound())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session
}

func TestCommitIsOneTransactionAndCountsOnce(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	session := openNB(t, servers)
	err := session.Commit(t.Context(),
		ovn.Insert(&nb.Switch{Name: "k8s", Ports: []string{"port1"}, ExternalIDs: ovn.Owned("c1", nil)}),
		ovn.Insert(&nb.SwitchPort{UUID: "port1", Name: "node1"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := servers.NB("lsp-list", "k8s"); !strings.HasSuffix(got, "(node1)") {
		t.Errorf("ports of k8s: %q, want node1", got)
	}
	if got := servers.Rows(ovn.Northbound(), "NB_Global", "nb_cfg"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("nb_cfg = %v, want 1", got)
	}
}

func TestCommitOfRefusedEditsChangesNothing(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	session := openNB(t, servers)
	before := servers.Dump(ovn.Northbound())
	err := session.Commit(t.Context(),
		ovn.Insert(&nb.Switch{Name: "k8s", Ports: []string{"a", "b"}}),
		ovn.Insert(&nb.SwitchPort{UUID: "a", Name: "twice"}),
		ovn.Insert(&nb.SwitchPort{UUID: "b", Name: "twice"}))
	want := "change OVN_Northbound: constraint violation: Transaction causes multiple rows in \"Logical_Switch_Port\" table"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("commit: %v, want %q…", err, want)
	}
	if after := servers.Dump(ovn.Northbound()); after != before {
		t.Errorf("the database changed:\n%s", after)
	}
}

func TestUnlessDecidesAgainWhenAnotherClientWasFaster(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	decided := 0
	err := ovn.Do(t.Context(), servers.Host("c1"), ovn.Northbound(), func(rows nb.Rows, _ string) (ovn.Change, error) {
		decided++
		if len(rows.SwitchesNamed("k8s")) > 0 {
			return ovn.Change{}, nil
		}
		servers.NB("ls-add", "k8s") // between reading and writing
		row := nb.Switch{Name: "k8s"}
		return ovn.Change{Edits: []ovn.Edit{ovn.Unless(&row, &row.Name), ovn.Insert(&row)}}, nil
	})
	if err != nil || decided != 2 {
		t.Errorf("decided %d times, %v; want 2 times without an error", decided, err)
	}
	if got := servers.Rows(ovn.Northbound(), "Logical_Switch", "name"); !slices.Equal(got, []string{"k8s"}) {
		t.Errorf("switches: %q, want one k8s", got)
	}
}

func TestSetKeysLeavesOtherKeys(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	servers.NB("ls-add", "s", "--", "set", "logical_switch", "s", "external_ids:a=1", "external_ids:b=2", "external_ids:c=3")
	session := openNB(t, servers)
	row := read(t, servers).SwitchesNamed("s")[0]
	err := session.Commit(t.Context(),
		ovn.SetKeys(&row, &row.ExternalIDs, map[string]string{"b": "new", "d": "4"}),
		ovn.UnsetKeys(&row, &row.ExternalIDs, "c", "unknown"))
	if err != nil {
		t.Fatal(err)
	}
	if got := servers.Rows(ovn.Northbound(), "Logical_Switch", "external_ids"); !slices.Equal(got, []string{"a=1 b=new d=4"}) {
		t.Errorf("external_ids = %q", got)
	}
}

func TestWaitSeesAChangeOfAnotherClient(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	session := openNB(t, servers)
	asked := 0
	err := session.Wait(t.Context(), func() (bool, error) {
		if asked++; asked == 1 {
			servers.NB("ls-add", "late")
		}
		var rows nb.Rows
		err := session.Read(t.Context(), &rows)
		return len(rows.SwitchesNamed("late")) == 1, err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	session := openNB(t, ovntest.Start(t, ovn.Northbound()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := session.Wait(ctx, func() (bool, error) { return false, nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait: %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestClosedSessionsLeaveNothingRunning(t *testing.T) {
	servers := ovntest.Start(t, ovn.Northbound())
	h := servers.Host("c1")
	before := runtime.NumGoroutine()
	for range 20 {
		session, err := ovn.Open(t.Context(), h, ovn.Northbound())
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
	}
	servers.Until("the sessions' goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "c1")
	h.Sockets = map[string]string{ovn.NorthboundSocket: t.TempDir() + "/none"}
	_, err := ovn.Open(t.Context(), h, ovn.Northbound())
	want := "connect to OVN_Northbound: no socket /run/ovn/ovnnb_db.sock on fake; install and start ovn-central there"
	if err == nil || err.Error() != want {
		t.Errorf("open: %v, want %q", err, want)
	}
}

// A forwarded socket takes the connection and closes it when nothing listens at
// the other end.
func TestOpenOfASocketThatIsClosedIsAnError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	h := moduletest.NewFakeHost(t, "c1")
	h.Sockets = map[string]string{ovn.NorthboundSocket: path}
	h.FS.Put(ovn.NorthboundSocket, "", 0o600)
	_, err = ovn.Open(t.Context(), h, ovn.Northbound())
	if err == nil || !strings.HasPrefix(err.Error(), "connect to OVN_Northbound over /run/ovn/ovnnb_db.sock: ") || !strings.HasSuffix(err.Error(), "; is ovn-central running?") {
		t.Errorf("open: %v", err)
	}
}

// A server may end a connection at any message, the last one of connecting included: the
// client must take that for an error then, or soon after it.
func TestAConnectionThatEndsAsItBeginsIsAnError(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Northbound())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for answers := range 4 { // none, databases, schema, rows
		path := endsAfter(t, servers.Socket(ovn.Northbound()), answers)
		h := moduletest.NewFakeHost(t, "c1")
		h.Sockets = map[string]string{ovn.NorthboundSocket: path}
		h.FS.Put(ovn.NorthboundSocket, "", 0o600)
		for range 50 {
			session, err := ovn.Open(ctx, h, ovn.Northbound())
			if err == nil {
				err = session.Wait(ctx, func() (bool, error) { return false, nil })
				session.Close()
			}
			if err == nil || !strings.HasSuffix(err.Error(), "is ovn-central running?") {
				t.Errorf("after %d answers: %v", answers, err)
			}
		}
	}
}

// endsAfter listens on a socket before a server's, which ends connections after so many of
// the server's answers.
func endsAfter(t *testing.T, server string, answers int) string {
	t.Helper()
	return before(t, server, func(near, far net.Conn, done *sync.WaitGroup) {
		done.Go(func() { _, _ = io.Copy(far, near); _ = far.Close() })
		from := json.NewDecoder(far)
		for range answers {
			var answer json.RawMessage
			if from.Decode(&answer) != nil {
				break
			}
			_, _ = near.Write(answer)
		}
		_ = near.Close()
		_ = far.Close()
	})
}

// before listens on a socket before a server's until the test ends, and serves each connection together
// with one to the server. What serve starts by done is waited for.
func before(t *testing.T, server string, serve func(near, far net.Conn, done *sync.WaitGroup)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); done.Wait() })
	done.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", server)
			if err != nil {
				_ = near.Close()
				return
			}
			done.Go(func() { serve(near, far, &done) })
		}
	})
	return path
}

func TestSwitchCommitNeedsVswitchd(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Switch())
	session, rows := openSwitch(t, servers)
	root := rows.Root()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := session.Commit(ctx, ovn.SetKeys(&root, &root.ExternalIDs, map[string]string{"a": "b"}))
	want := "change Open_vSwitch: written, but ovs-vswitchd has made only change 0 of 1: context deadline exceeded; is ovs-vswitchd running?"
	if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("commit: %v, want %q…", err, want)
	}
}

func TestSwitchCommitWaitsForVswitchd(t *testing.T) {
	t.Parallel()
	servers := ovntest.Start(t, ovn.Switch())
	servers.DummyVswitchd()
	session, rows := openSwitch(t, servers)
	root := rows.Root()
	bridge := vs.Bridge{UUID: "bridge", Name: "br0", Ports: []string{"port"}}
	err := session.Commit(t.Context(), ovn.Link(&root, &root.Bridges, "bridge"), ovn.Insert(&bridge),
		ovn.Insert(&vs.Port{UUID: "port", Name: "br0", Interfaces: []string{"iface"}}),
		ovn.Insert(&vs.Interface{UUID: "iface", Name: "br0", Type: "internal"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := servers.Rows(ovn.Switch(), "Interface", "name,ofport"); !slices.Equal(got, []string{"br0|65534"}) {
		t.Errorf("interfaces: %q, want br0 with its OpenFlow port", got)
	}
}

func openSwitch(t *testing.T, servers *ovntest.Servers) (*ovn.Replica, vs.Rows) {
	t.Helper()
	session, err := ovn.Open(t.Context(), servers.Host("c1"), ovn.Switch())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	var rows vs.Rows
	if err := session.Read(t.Context(), &rows); err != nil {
		t.Fatal(err)
	}
	return session, rows
}

func TestSouthboundModelFitsTheSchema(t *testing.T) {
	t.Parallel()
	session, err := ovn.Open(t.Context(), ovntest.Start(t, ovn.Southbound()).Host(""), ovn.Southbound())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var rows sb.Rows
	if err := session.Read(t.Context(), &rows); err != nil || len(rows.Globals) != 1 {
		t.Errorf("rows %+v, %v; want one SB_Global", rows, err)
	}
}
