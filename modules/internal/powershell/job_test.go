package powershell

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
	"kinit/modules/internal/poll"
)

// scheduler is a host that knows jobs: it does what the scripts of a job ask for, as
// data. Each script that was run is noted.
type scheduler struct {
	*moduletest.FakeHost
	status status
	ends   func(*status) // what a look that finds the job running changes
	lose   []string      // scripts whose next answers are lost, after they did their work
	refuse bool          // a start is refused
	ran    []string
}

func (s *scheduler) OS() module.OS { return module.Windows }

func (s *scheduler) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if err := ctx.Err(); err != nil {
		return module.Output{}, err
	}
	name, value := s.do(c)
	s.ran = append(s.ran, name)
	if at := slices.Index(s.lose, name); at >= 0 {
		s.lose = slices.Delete(s.lose, at, at+1)
		return module.Output{}, fmt.Errorf("run a script: %w", transport.ErrUnreachable)
	}
	if name == "start" && s.refuse {
		return module.Output{Stdout: `kinit:{"failure":{"message":"Access is denied."}}`}, &module.ExitError{Code: 1}
	}
	text, err := json.Marshal(map[string]any{"value": value})
	return module.Output{Stdout: mark + string(text) + "\n"}, err
}

// do does what a script does.
func (s *scheduler) do(c module.Command) (name string, value any) {
	switch c.PowerShell {
	case whole(lookScript):
		if s.status.Alive && s.ends != nil {
			s.ends(&s.status)
		}
		return "look", map[string]any{"begun": s.status.Begun, "alive": s.status.Alive, "answer": s.status.Answer}
	case whole(startScript):
		if !s.refuse {
			s.status.Begun, s.status.Alive = true, true
		}
		return "start", nil
	case whole(forgetScript):
		s.status = status{}
		return "forget", nil
	}
	return "unknown", nil
}

func newScheduler(t *testing.T) *scheduler {
	return &scheduler{FakeHost: moduletest.NewFakeHost(t, ""), ends: func(s *status) {
		*s = status{Begun: true, Answer: `kinit:{"value":{"id":"7"}}`}
	}}
}

func (s *scheduler) run(t *testing.T, within time.Duration) (string, error) {
	t.Helper()
	var result struct{ ID string }
	err := Job{Name: "test", Script: "@{ id = 7 }", Args: map[string]string{"a": "b"}, Within: within}.Run(t.Context(), s, &result)
	return result.ID, err
}

func TestJobIsStartedOnceAndForgotten(t *testing.T) {
	t.Parallel()
	once := func(s *status) { *s = status{Begun: true, Answer: `kinit:{"value":{"id":"7"}}`} }
	for _, c := range []struct {
		name  string
		setup func(*scheduler)
		want  []string
	}{
		{"a new one", func(*scheduler) {}, []string{"look", "start", "look", "forget"}},
		{"one that an interrupted run left running", func(s *scheduler) {
			s.status, s.ends = status{Begun: true, Alive: true}, nil
			s.ends = later(s, once)
		}, []string{"look", "look", "forget"}},
		{"one that an interrupted run left ended", func(s *scheduler) {
			s.status = status{Begun: true, Answer: `kinit:{"value":{"id":"old"}}`}
		}, []string{"look", "forget", "start", "look", "forget"}},
		{"one that an interrupted run left dead", func(s *scheduler) {
			s.status = status{Begun: true}
		}, []string{"look", "forget", "start", "look", "forget"}},
		{"the answer to its start is lost", func(s *scheduler) { s.lose = []string{"start"} }, []string{"look", "start", "look", "forget"}},
		{"all answers are lost once", func(s *scheduler) { s.lose = []string{"look", "start", "look", "forget"} },
			[]string{"look", "look", "look", "start", "look", "forget", "forget"}},
	} {
		s := newScheduler(t)
		c.setup(s)
		if id, err := s.run(t, time.Minute); id != "7" || err != nil || !slices.Equal(s.ran, c.want) {
			t.Errorf("%s: id %q, %v, ran %q, want %q", c.name, id, err, s.ran, c.want)
		}
	}
}

// later leaves a job running at the first look.
func later(s *scheduler, end func(*status)) func(*status) {
	return func(*status) { s.ends = end }
}

func TestJobThatDiesIsAnErrorAndForgotten(t *testing.T) {
	t.Parallel()
	s := newScheduler(t)
	s.ends = func(s *status) { s.Alive = false }
	_, err := s.run(t, time.Minute)
	if !errors.Is(err, ErrLost) || !strings.HasPrefix(err.Error(), "test: it ended without an answer") {
		t.Errorf("error %v", err)
	}
	if want := []string{"look", "start", "look", "forget"}; !slices.Equal(s.ran, want) {
		t.Errorf("ran %q, want %q", s.ran, want)
	}
}

func TestJobThatThrowsIsItsError(t *testing.T) {
	t.Parallel()
	s := newScheduler(t)
	s.ends = func(s *status) {
		*s = status{Begun: true, Answer: `kinit:{"failure":{"message":"no such adapter","code":-2147024894}}`}
	}
	if _, err := s.run(t, time.Minute); Code(err) != 0x80070002 {
		t.Errorf("error %v", err)
	}
}

func TestJobThatCannotBeStartedIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	s := newScheduler(t)
	s.refuse = true
	if _, err := s.run(t, time.Hour); err == nil || err.Error() != "Access is denied." {
		t.Errorf("error %v", err)
	}
}

func TestJobThatTakesTooLongIsLate(t *testing.T) {
	t.Parallel()
	s := newScheduler(t)
	s.ends = nil
	_, err := s.run(t, 300*time.Millisecond)
	var late *poll.Late
	if !errors.As(err, &late) || err.Error() != "waited 300ms for test: it runs" {
		t.Errorf("error %v", err)
	}
}

func TestJobsOfOtherArgumentsAreOtherJobs(t *testing.T) {
	t.Parallel()
	one, err := Job{Name: "hns-create", Script: "a", Args: map[string]string{"name": "x"}}.place()
	if err != nil {
		t.Fatal(err)
	}
	other, err := Job{Name: "hns-create", Script: "a", Args: map[string]string{"name": "y"}}.place()
	if err != nil || one.ID == other.ID || len(one.ID) != len("hns-create-")+12 || one.Folder != `C:\ProgramData\kinit\jobs\`+one.ID {
		t.Errorf("%q in %s and %q, %v", one.ID, one.Folder, other.ID, err)
	}
	if !strings.HasPrefix(one.Script, jobPrologue+prologue) {
		t.Errorf("script %s", one.Script)
	}
	text, err := base64.StdEncoding.DecodeString(one.Input[8:])
	if err != nil || string(text) != `{"name":"x"}` {
		t.Errorf("input %q, %v", text, err)
	}
}
