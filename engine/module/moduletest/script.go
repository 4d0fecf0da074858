package moduletest

import "strings"

// Script holds the replies to one argument list: each Out, Fail or Change adds a reply, and
// the last one is repeated.
type Script struct {
	replies []scripted
}

// scripted is a reply and its effect.
type scripted struct {
	reply  Reply
	effect func(Call)
}

// On scripts an exact argument list. Calling it again continues the same script.
func (f *FakeHost) On(argv ...string) *Script {
	f.lock.Lock()
	defer f.lock.Unlock()
	s := f.scripts[key(argv)]
	if s == nil {
		s = &Script{}
		f.scripts[key(argv)] = s
	}
	return s
}

// Out adds a reply that only reads the host and prints stdout.
func (s *Script) Out(stdout string) *Script {
	return s.add(Reply{Stdout: stdout}, nil)
}

// Fail adds a reply with a non-zero code.
func (s *Script) Fail(code int, stderr string) *Script {
	return s.add(Reply{Code: code, Stderr: stderr}, nil)
}

// Change adds a reply of a command that changes the host. effect may be nil; it must not
// call the FakeHost, but may change its FS and the data behind its replies.
func (s *Script) Change(effect func(Call)) *Script {
	return s.add(Reply{Changes: true}, effect)
}

// Reply adds any reply.
func (s *Script) Reply(r Reply) *Script { return s.add(r, nil) }

func (s *Script) add(r Reply, effect func(Call)) *Script {
	s.replies = append(s.replies, scripted{reply: r, effect: effect})
	return s
}

// next takes the first reply, or repeats the last. A script without replies
// prints nothing and succeeds.
func (s *Script) next(call Call) Reply {
	if len(s.replies) == 0 {
		return Reply{}
	}
	head := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	if head.effect != nil {
		head.effect(call)
	}
	return head.reply
}

func key(argv []string) string { return strings.Join(argv, "\x00") }
