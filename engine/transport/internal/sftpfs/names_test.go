package sftpfs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"

	"kinit/engine/transport/internal/posix"
)

// hostile is an SFTP server of a test: answer gets each request and returns packets without
// their lengths.
type hostile struct {
	client *sftp.Client
	work   sync.WaitGroup
}

// Client is that of the server.
func (h *hostile) Client(context.Context) (*sftp.Client, Carrier, error) { return h.client, h, nil }

// Spawn starts work.
func (h *hostile) Spawn(work func()) bool { h.work.Go(work); return true }

// Cut does nothing.
func (h *hostile) Cut(context.Context, *sftp.Client) {}

func newHostile(t *testing.T, answer func(kind byte, id []byte, rest []byte) [][]byte) *hostile {
	t.Helper()
	requests, toServer := io.Pipe()
	fromServer, replies := io.Pipe()
	h := &hostile{}
	var server sync.WaitGroup
	server.Go(func() {
		defer replies.Close()
		for {
			var size [4]byte
			if _, err := io.ReadFull(requests, size[:]); err != nil {
				return
			}
			packet := make([]byte, binary.BigEndian.Uint32(size[:]))
			if _, err := io.ReadFull(requests, packet); err != nil {
				return
			}
			all := [][]byte{{2, 0, 0, 0, 3}} // the version
			if packet[0] != 1 {
				all = answer(packet[0], packet[1:5], packet[5:])
			}
			for _, reply := range all {
				if _, err := replies.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(reply))), reply...)); err != nil {
					return
				}
			}
		}
	})
	client, err := NewClient(fromServer, toServer)
	if err != nil {
		t.Fatal(err)
	}
	h.client = client
	t.Cleanup(func() {
		_ = toServer.Close()
		_ = requests.Close()
		_ = fromServer.Close()
		server.Wait()
		h.work.Wait()
	})
	return h
}

// packet is an answer to a request.
func packet(kind byte, id []byte, parts ...any) []byte {
	b := bytes.NewBuffer(append([]byte{kind}, id...))
	for _, part := range parts {
		if text, ok := part.(string); ok {
			_ = binary.Write(b, binary.BigEndian, uint32(len(text)))
			b.WriteString(text)
			continue
		}
		_ = binary.Write(b, binary.BigEndian, part)
	}
	return b.Bytes()
}

// page is an answer of many names.
func page(id []byte, count int, name string, attributes ...any) []byte {
	parts := []any{uint32(count)}
	for i := range count {
		parts = append(parts, fmt.Sprintf(name, i), "")
		parts = append(parts, attributes...)
	}
	return packet(packetName, id, parts...)
}

// TestEndlessListingsStopBeforeTheyFillTheMemory lists folders of servers that never come to an
// end.
func TestEndlessListingsStopBeforeTheyFillTheMemory(t *testing.T) {
	plain := uint32(0)
	extensions := []any{uint32(1 << 31), uint32(20000)}
	for range 20000 {
		extensions = append(extensions, "", "")
	}
	for name, answer := range map[string]func(id []byte) []byte{
		"short names":         func(id []byte) []byte { return page(id, 10000, "%d", plain) },
		"long names":          func(id []byte) []byte { return page(id, 100, strings.Repeat("x", 1000)+"%d", plain) },
		"extended attributes": func(id []byte) []byte { return page(id, 1, "%d", extensions...) },
		"no names at all":     func(id []byte) []byte { return packet(packetName, id, uint32(0)) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t, func(kind byte, id, _ []byte) [][]byte {
				switch kind {
				case 11: // opendir
					return [][]byte{packet(102, id, "handle")}
				case packetReaddir:
					return [][]byte{answer(id)}
				}
				return [][]byte{packet(packetStatus, id, uint32(0), "", "")}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			before := heap()
			infos, err := remote{source: h}.ReadDir(ctx, "/endless")
			if !errors.Is(err, posix.ErrTooMany) || !strings.HasPrefix(err.Error(), "list /endless: the folder has more entries than kinit lists") {
				t.Errorf("got %d entries, %v", len(infos), err)
			}
			if took := heap() - before; took > 20<<20 {
				t.Errorf("the listing takes %d MiB", took>>20)
			}
			if name == "short names" && len(infos) < 45_000 {
				t.Errorf("only %d entries came", len(infos))
			}
			runtime.KeepAlive(infos)
			if _, err := (remote{source: h}).Stat(ctx, "/x", false); err == nil || !strings.Contains(err.Error(), "without what it was asked for") {
				t.Errorf("the next request came to %v", err)
			}
		})
	}
}

// heap is the memory in use.
func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}

func TestListingWithinTheLimitIsWhole(t *testing.T) {
	t.Parallel()
	pages := 0
	h := newHostile(t, func(kind byte, id, _ []byte) [][]byte {
		switch kind {
		case 11:
			return [][]byte{packet(102, id, "handle")}
		case packetReaddir:
			if pages++; pages%5 == 0 {
				return [][]byte{packet(packetStatus, id, uint32(1), "", "")} // the end
			}
			return [][]byte{page(id, 10000, "%d", uint32(0))}
		}
		return [][]byte{packet(packetStatus, id, uint32(0), "", "")}
	})
	for range 3 { // a handle that was closed counts no more
		if infos, err := (remote{source: h}).ReadDir(t.Context(), "/large"); err != nil || len(infos) != 40_000 {
			t.Fatalf("got %d entries, %v", len(infos), err)
		}
	}
}

// TestServerThatAnswersEverythingWithSuccessAloneIsRefused makes all requests of a server that has no answer to
// any question.
func TestServerThatAnswersEverythingWithSuccessAloneIsRefused(t *testing.T) {
	t.Parallel()
	h := newHostile(t, func(_ byte, id, _ []byte) [][]byte {
		return [][]byte{packet(packetStatus, id, uint32(0), "", "")}
	})
	r := remote{source: h}
	for name, ask := range map[string]func() error{
		"stat":  func() error { _, err := r.Stat(t.Context(), "/x", true); return err },
		"lstat": func() error { _, err := r.Stat(t.Context(), "/x", false); return err },
		"open":  func() error { _, err := r.Open(t.Context(), "/x"); return err },
		"create": func() error {
			return r.Create(t.Context(), "/x", posix.NewFile{UID: 7, GID: -1}, strings.NewReader("x"))
		},
		"readlink": func() error { _, err := r.Readlink(t.Context(), "/x"); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "without what it was asked for") {
			t.Errorf("%s came to %v", name, err)
		}
	}
}
