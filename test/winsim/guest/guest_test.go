//go:build linux

package guest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestUnpackWritesAllButZeros compares the disk with the image, and what the disk takes
// with what it shows.
func TestUnpackWritesAllButZeros(t *testing.T) {
	t.Parallel()
	const size = 8<<20 + 100
	content := make([]byte, size)
	copy(content, "begin")
	copy(content[5<<20:], "middle")
	copy(content[size-3:], "end")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	from, to := filepath.Join(folder, "image.gz"), filepath.Join(folder, "disk")
	if err := os.WriteFile(from, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unpack(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content) {
		t.Error("the disk is not the image")
	}
	info, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	if taken := info.Sys().(*syscall.Stat_t).Blocks * 512; taken > 3<<20+1<<16 {
		t.Errorf("%d bytes are taken, want no more than the three blocks that are not of zeros", taken)
	}
}

func TestUnpackStopsWhenItIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	disk, err := os.Create(filepath.Join(t.TempDir(), "disk"))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if err := copySparse(ctx, disk, bytes.NewReader(make([]byte, 1<<21))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLeaseNamesTheRouterAndTheNameServers(t *testing.T) {
	t.Parallel()
	var c Card
	if err := c.readLease("router 10.0.0.254\ndns 10.0.0.253\ndns 10.0.0.252\n"); err != nil {
		t.Fatal(err)
	}
	want := Card{Gateway: netip.MustParseAddr("10.0.0.254"), DNS: []netip.Addr{netip.MustParseAddr("10.0.0.253"), netip.MustParseAddr("10.0.0.252")}}
	if diff := cmp.Diff(want, c, cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{})); diff != "" {
		t.Error(diff)
	}
	if err := c.readLease("router somewhere\n"); err == nil {
		t.Error("a router without an address is taken")
	}
}
