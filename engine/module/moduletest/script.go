package moduletest

import "strings"

// Script holds the replies to one argument list: each Out, Fail or Reply adds a reply, and
// the last one is repeated.
type Script struct{ replies []Reply }

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
	return s.Reply(Reply{Stdout: stdout})
}

// Fail adds a reply with a non-zero code.
func (s *Script) Fail(code int, stderr string) *Script {
	return s.Reply(Reply{Code: code, Stderr: stderr})
}

// Reply adds any reply.
func (s *Script) Reply(r Reply) *Script {
	s.replies = append(s.replies, r)
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
	if head.Effect != nil {
		head.Effect(call)
	}
	return head
}

func key(argv []string) string { return strings.Join(argv, "\x00") }
