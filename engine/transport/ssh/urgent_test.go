package ssh_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/sshd"
)

func TestAnUrgentCommandDoesNotWaitForOthers(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t)))
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	for range 6 { // twice as many as there are workers
		busy.Go(func() { _, _ = conn.Exec(ctx, transport.Process{Line: "exec sleep 1000"}) })
	}
	timed, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if code, err := conn.Exec(timed, transport.Process{Line: "exit 4", Urgent: true}); code != 4 || err != nil {
		t.Errorf("code %d, error %v", code, err)
	}
	cancel()
	busy.Wait()
}

func TestAServerWithoutASessionForWhatIsUrgent(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t, "MaxSessions 1")))
	for i, urgent := range []bool{true, false, true, false} {
		if code, err := conn.Exec(t.Context(), transport.Process{Line: "exit 4", Urgent: urgent}); code != 4 || err != nil {
			t.Errorf("command %d: code %d, error %v", i, code, err)
		}
	}
}
