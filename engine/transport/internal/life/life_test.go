package life

import (
	"context"
	"errors"
	"net"
	"testing"
)

func TestWorkEndsWithTheLife(t *testing.T) {
	t.Parallel()
	l := New("somewhere")
	if l.Enter() != nil || l.Ended() != nil {
		t.Fatal("a life that has begun admits a caller")
	}
	ctx, stop := l.During(t.Context())
	left := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stop()
		left <- context.Cause(ctx)
		l.Leave()
	}()
	for range 2 {
		l.End()
	}
	if cause := <-left; !errors.Is(cause, net.ErrClosed) {
		t.Errorf("the cause is %v", cause)
	}
	if l.Enter() == nil || l.Ended() == nil {
		t.Error("a life that has ended lets somebody in")
	}
}

func TestWorkEndsWithItsOwnContextFirst(t *testing.T) {
	t.Parallel()
	l := New("somewhere")
	l.Enter()
	own, cancel := context.WithCancel(t.Context())
	ctx, stop := l.During(own)
	cancel()
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		t.Errorf("the cause is %v", cause)
	}
	stop()
	l.Leave()
	l.End()
}
