package wsman

import (
	"context"
	"time"
)

// Action is what a request asks for.
type Action string

// The actions that the server knows.
const (
	Identify Action = "Identify"
	Create   Action = "Create"
	Command  Action = "Command"
	Send     Action = "Send"
	Receive  Action = "Receive"
	Signal   Action = "Signal"
	Delete   Action = "Delete"
)

// Rule says what goes wrong, and with which requests. Of those from clients that may
// log in, it looks at the ones with its action, and counts from when it was given to
// Plan.
type Rule struct {
	Action Action // any when empty
	Skip   int    // how many requests go right first
	Times  int    // with how many it goes wrong then: 0 is one, Always is all
	Effect Effect
}

// Always is how many times something goes wrong that always does.
const Always = -1

// Effect is what goes wrong with a request. Fields that are not set do nothing;
// those that are happen in the order in which they stand here.
type Effect struct {
	// Before is called before anything else happens. It may be Reboot, run in the
	// background.
	Before func()
	// Wait holds the request until the channel is closed, or its connection is.
	Wait <-chan struct{}
	// Delay holds the request for a time, or until its connection is closed.
	Delay time.Duration
	// DropBefore resets the connection; nothing is done.
	DropBefore bool
	// Status is answered with an empty body and no SOAP content type, as a dying
	// HTTP.sys, a proxy or an expired login do; nothing is done. With 401 the
	// connection's login is forgotten.
	Status int
	// Fault is the code of a SOAP fault that is answered, such as CodeTimedOut;
	// nothing is done.
	Fault uint32
	// Pending answers Receive with the state Pending and no output; nothing is done.
	Pending bool
	// After is called when the request was handled, before it is answered.
	After func()
	// DropAfter resets the connection instead of answering what was done.
	DropAfter bool
	// Empty answers what was done with the right type and no body.
	Empty bool
	// Truncate sends as many bytes of the body and then ends the connection.
	Truncate int
}

// rule is one that counts.
type rule struct {
	Rule
	seen int
}

// Plan adds rules. Of several that fit a request, the first in the plan has its
// effect; all count.
func (s *Server) Plan(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rules {
		s.rules = append(s.rules, &rule{Rule: r})
	}
}

// Unplan removes all rules.
func (s *Server) Unplan() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
}

// effect counts a request and returns what goes wrong with it.
func (s *Server) effect(action Action) Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[action]++
	var chosen *rule
	for _, r := range s.rules {
		if r.fits(action) && chosen == nil {
			chosen = r
		}
	}
	if chosen == nil {
		return Effect{}
	}
	return chosen.Effect
}

// fits counts a request and tells whether the rule is about it.
func (r *rule) fits(action Action) bool {
	if r.Action != "" && r.Action != action {
		return false
	}
	r.seen++
	times := max(r.Times, 1)
	return r.seen > r.Skip && (r.Times == Always || r.seen <= r.Skip+times)
}

// hold waits as the effect says. It returns false when the request's connection was
// closed meanwhile.
func (e Effect) hold(ctx context.Context) bool {
	if e.Wait != nil {
		select {
		case <-e.Wait:
		case <-ctx.Done():
			return false
		}
	}
	if e.Delay > 0 {
		select {
		case <-time.After(e.Delay):
		case <-ctx.Done():
			return false
		}
	}
	return true
}
