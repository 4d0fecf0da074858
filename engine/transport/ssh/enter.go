package ssh

import (
	"bufio"
	"context"
	"io"

	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/framing"
)

// start starts a program as the user of the config in the session. With an entry it waits until the program has begun, and
// gives the password if that is asked for; said also gets what sudo, doas or su prints.
func (s *sessionChannel) start(ctx context.Context, c Config, e *become.Entry, stdout, stderr *bufio.Reader, said io.Writer, argv ...string) error {
	if e == nil {
		return s.exec(c.way.User.Line(argv...))
	}
	if err := s.exec(e.Line(argv...)); err != nil {
		return err
	}
	begun := make(chan error, 1)
	if !s.link.spawn(func() { begun <- framing.Until(stdout, e.Mark, nil) }) {
		return errCut
	}
	if err := s.enter(ctx, e, stderr, said); err != nil {
		return err
	}
	return <-begun
}

// enter gives the password, and returns when the program has begun.
func (s *sessionChannel) enter(ctx context.Context, e *become.Entry, stderr *bufio.Reader, said io.Writer) error {
	d := become.NewDialog(e)
	for {
		if _, err := stderr.Peek(1); err != nil {
			if ctx.Err() != nil || s.link.gone(ctx) {
				return err
			}
			return d.Ended(err)
		}
		part, _ := stderr.Peek(stderr.Buffered())
		used, event := d.Feed(part)
		_, _ = said.Write(part[:used])
		if _, err := stderr.Discard(used); err != nil {
			return err
		}
		switch event {
		case become.Asked:
			if _, err := io.WriteString(s, e.Password.Reveal()+"\n"); err != nil {
				return err
			}
		case become.Refused:
			s.kill()
			return d.Refusal()
		case become.Over:
			return d.Ended(io.EOF)
		case become.Begun:
			return d.Begun()
		}
	}
}
