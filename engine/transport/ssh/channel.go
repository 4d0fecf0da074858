package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/pace"
	"kinit/engine/transport/internal/life"
)

// sessionChannel is an open sessionChannel channel and the requests the server sends on it.
type sessionChannel struct {
	gossh.Channel
	link     *link
	requests <-chan *gossh.Request
}

// Close asks the server to end the session. It does not wait for a blocked connection:
// pending data is dropped with the link.
func (s *sessionChannel) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), briefly)
	defer cancel()
	_, err := bounded(ctx, s.link, func() (none struct{}, err error) { return none, s.Channel.Close() })
	return err
}

// watch refuses the server's requests, and closes the channel after the first one that ends
// the session, or after all of them.
func (s *sessionChannel) watch(exited chan<- struct{}, ends func(*gossh.Request) bool) {
	ended := false
	for request := range s.requests {
		if request.WantReply {
			_ = request.Reply(false, nil)
		}
		if !ended && ends(request) {
			ended = true
			close(exited)
		}
	}
	if !ended {
		close(exited)
	}
}

// open opens a session channel. If the server has no session left, the error is errRefused.
func (l *link) open(ctx context.Context) (*sessionChannel, error) {
	ctx, stop := life.Until(ctx, l.spawn, l.done, errCut)
	defer stop()
	type result struct {
		session *sessionChannel
		err     error
	}
	results := make(chan result)
	// The end of this goroutine is not waited for: if the connection is lost at the wrong
	// moment, x/crypto's OpenChannel never returns.
	go func() {
		channel, requests, err := l.client.OpenChannel("session", nil)
		select {
		case results <- result{&sessionChannel{channel, l, requests}, err}:
		case <-ctx.Done():
			if err == nil { // no longer needed
				_ = channel.Close()
				gossh.DiscardRequests(requests)
			}
		}
	}()
	select {
	case r := <-results:
		if r.err != nil && channelRefused(r.err) {
			return nil, fmt.Errorf("%w: %w", errRefused, r.err)
		}
		return r.session, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// exec starts a command line in the session. It does not wait for the server's
// answer, to save a round trip: a refusal closes the channel.
func (s *sessionChannel) exec(line string) error {
	_, err := s.SendRequest("exec", false, gossh.Marshal(struct{ Command string }{line}))
	return err
}

// kill ends the session's program before the session is closed: sudo counts the end of its input as another wrong password, which may
// lock the account. Servers that send no signals leave it at that.
func (s *sessionChannel) kill() {
	_, _ = s.SendRequest("signal", false, gossh.Marshal(struct{ Signal string }{string(gossh.SIGKILL)}))
}

// openPatiently opens a session channel and tries again for a while if the server has none
// left: a recently closed session may still count.
func (l *link) openPatiently(ctx context.Context) (*sessionChannel, error) {
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for try := 0; ; try++ {
		s, err := l.open(ctx)
		if !errors.Is(err, errRefused) {
			return s, err
		}
		if backoff(timed, try) != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
	}
}

// backoff waits between two tries, longer each time, from 5 ms to 200 ms.
func backoff(ctx context.Context, try int) error {
	return pace.Wait(ctx, min(5*time.Millisecond<<min(try, 10), 200*time.Millisecond))
}
