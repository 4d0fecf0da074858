package etcd_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"kinit/engine/internal/etcd"
	"kinit/engine/transport/transporttest/hostileweb"
)

// hostile is a member that answers all requests in the same way.
type hostile func(stream grpc.ServerStream) error

func (h hostile) start(t *testing.T) etcd.Config {
	t.Helper()
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error { return h(stream) }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		<-ended
	})
	return etcd.Config{Endpoints: []string{"http://" + listener.Addr().String()}, Prefix: "/kinit"}
}

// Not parallel: it measures memory.
func TestHostileMembersNeitherFillTheMemoryNorHoldTheRun(t *testing.T) {
	large := make([]byte, 16<<20)
	keys := &etcdserverpb.RangeResponse{}
	for range 30_000 {
		keys.Kvs = append(keys.Kvs, &mvccpb.KeyValue{})
	}
	for name, answer := range map[string]hostile{
		"a message that is too large": func(stream grpc.ServerStream) error {
			return stream.SendMsg(&etcdserverpb.SnapshotResponse{Blob: large})
		},
		"many keys": func(stream grpc.ServerStream) error { return stream.SendMsg(keys) },
		"messages without end": func(stream grpc.ServerStream) error {
			for {
				if err := stream.SendMsg(&etcdserverpb.SnapshotResponse{Blob: large[:64<<10]}); err != nil {
					return err
				}
			}
		},
		"headers that are too large": func(stream grpc.ServerStream) error {
			many := metadata.MD{}
			for i := range 100_000 {
				many.Set(fmt.Sprint("h", i), "x")
			}
			return stream.SendHeader(many)
		},
		"silence": func(stream grpc.ServerStream) error {
			<-stream.Context().Done()
			return stream.Context().Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			lock := lockOf(t, answer.start(t), "FIRST", least)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			state, err := lock.Take(ctx, "")
			runtime.ReadMemStats(&after)
			if err == nil || name == "a message that is too large" && !strings.Contains(err.Error(), "received message larger than max") {
				t.Errorf("the lock is %+v, %v", state, err)
			}
			took := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d KiB were allocated: %v", took>>10, err)
			if took > hostileweb.MostMemory {
				t.Errorf("%d MiB were allocated, want at most %d", took>>20, hostileweb.MostMemory>>20)
			}
		})
	}
}
