package virt_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kinit/modules/internal/virt"
)

func testConn(t *testing.T) *virt.Conn {
	t.Helper()
	c, err := virt.OpenTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// define makes a domain named after the test and returns its name.
func define(t *testing.T, c *virt.Conn, owner string) string {
	t.Helper()
	name := t.Name()
	text, err := kvmSpec(name).XML(owner, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Define(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	return name
}

func find(t *testing.T, c *virt.Conn, name string) virt.Domain {
	t.Helper()
	d, found, err := c.Find(t.Context(), name)
	if err != nil || !found {
		t.Fatalf("find %s: %v, %v", name, found, err)
	}
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDomainsLife(t *testing.T) {
	t.Parallel()
	c := testConn(t)
	name := define(t, c, "k8s")
	hash, _ := kvmSpec(name).Hash()
	stamp := &virt.Stamp{Owner: "k8s", UUID: find(t, c, name).UUID, Hash: hash}
	want := virt.Domain{Name: name, State: virt.Stopped, Stamp: stamp}
	check := func() {
		t.Helper()
		got := find(t, c, name)
		ignore := []cmp.Option{cmpopts.IgnoreFields(virt.Domain{}, "UUID"), cmpopts.IgnoreUnexported(virt.Domain{})}
		if diff := cmp.Diff(want, got, ignore...); diff != "" {
			t.Errorf("domain (-want +got):\n%s", diff)
		}
	}
	check()

	must(t, c.SetAutostart(t.Context(), name, true))
	must(t, c.Start(t.Context(), name))
	must(t, c.Start(t.Context(), name))
	want.Autostart, want.State, want.Live = true, virt.Running, stamp
	check()

	must(t, c.Shutdown(t.Context(), name, time.Minute))
	must(t, c.Shutdown(t.Context(), name, time.Minute))
	want.State, want.Live, want.ShutDown = virt.Stopped, nil, true
	check()

	must(t, c.Start(t.Context(), name))
	must(t, c.PowerOff(t.Context(), name))
	must(t, c.PowerOff(t.Context(), name))
	want.ShutDown = false
	check()

	must(t, c.Undefine(t.Context(), name))
	must(t, c.Undefine(t.Context(), name))
	must(t, c.PowerOff(t.Context(), name))
	if _, found, err := c.Find(t.Context(), name); found || err != nil {
		t.Errorf("find after undefine: %v, %v", found, err)
	}
}

func TestRedefiningARunningDomainKeepsItsLiveStamp(t *testing.T) {
	t.Parallel()
	c := testConn(t)
	name := define(t, c, "k8s")
	must(t, c.Start(t.Context(), name))
	before := find(t, c, name)
	more := kvmSpec(name)
	more.Memory = 8 << 30
	text, err := more.XML("k8s", before.UUID)
	must(t, err)
	must(t, c.Define(t.Context(), text))
	after := find(t, c, name)
	if hash, _ := more.Hash(); after.Stamp.Hash != hash {
		t.Errorf("lasting hash %s, want %s", after.Stamp.Hash, hash)
	}
	if after.Live.Hash != before.Stamp.Hash {
		t.Errorf("live hash %s, want %s", after.Live.Hash, before.Stamp.Hash)
	}
}

func TestADomainBelongsToWhoseStampItHas(t *testing.T) {
	t.Parallel()
	c := testConn(t)
	name := define(t, c, "k8s.MINE")
	for owner, want := range map[string]bool{"k8s.MINE": true, "k8s.OTHER": false, "k8s": false, "": false} {
		if got := find(t, c, name).OwnedBy(owner); got != want {
			t.Errorf("owned by %q: %v, want %v", owner, got, want)
		}
	}
	// The test driver comes with a domain named "test" that kinit did not make.
	if find(t, c, "test").OwnedBy("") {
		t.Error("a domain without a stamp is owned")
	}
	stamped, err := c.Stamped(t.Context())
	must(t, err)
	if !slices.ContainsFunc(stamped, func(d virt.Domain) bool { return d.Name == name }) ||
		slices.ContainsFunc(stamped, func(d virt.Domain) bool { return d.Name == "test" }) {
		t.Errorf("stamped: %v", stamped)
	}
}

func TestAUUIDMayBeWrittenInOtherWays(t *testing.T) {
	t.Parallel()
	c := testConn(t)
	for i, id := range []string{"0AF7651C-9167-4A2E-8FD5-5A3A3F5D6FAA", "0af7651c91674a2e8fd55a3a3f5d6fab"} {
		name := fmt.Sprintf("%s-%d", t.Name(), i)
		text, err := kvmSpec(name).XML("k8s", id)
		must(t, err)
		must(t, c.Define(t.Context(), text))
		if d := find(t, c, name); !d.OwnedBy("k8s") || d.Copied() {
			t.Errorf("domain %s has the stamp %+v", d.UUID, *d.Stamp)
		}
	}
}

// Domains that were made when stamps had no UUID are taken by their owner's name.
func TestAStampWithoutAUUIDIsNoCopy(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"": true, "1": true, "2": false} {
		d := virt.Domain{UUID: "1", Stamp: &virt.Stamp{Owner: "k8s", UUID: id}}
		if got := d.OwnedBy("k8s"); got != want || d.Copied() == want {
			t.Errorf("with %q: owned %v, copied %v", id, got, d.Copied())
		}
	}
}

func TestMissingDomainCannotStart(t *testing.T) {
	t.Parallel()
	err := testConn(t).Start(t.Context(), "missing")
	if want := "start domain missing: there is no such domain"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	c := testConn(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Find(ctx, "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("find: %v, want %v", err, context.Canceled)
	}
	if err := c.PowerOff(ctx, "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("power off: %v, want %v", err, context.Canceled)
	}
}
