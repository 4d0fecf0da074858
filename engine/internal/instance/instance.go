// Package instance distinguishes owners with the same name: two clusters with one name have
// instances with different ids, and a controller records which of them are its own.
package instance

import (
	"crypto/rand"
	"time"
)

// Instance is the identity behind an owner's name. It is made once, when a run of the owner
// makes its first mark, and is the same on all hosts.
type Instance struct {
	ID   string    `json:"id"` // random, at least 128 bits; letters and digits only
	Made time.Time `json:"made"`
	By   string    `json:"by"`             // user@controller
	Spec string    `json:"spec,omitempty"` // the spec of that run
	Job  string    `json:"job,omitempty"`  // the periodic job of that run; empty if a person started it
	// Unmarked is set if marks do not carry the id: it was given to objects from before
	// marks had ids.
	Unmarked bool `json:"unmarked,omitempty"`
}

// New makes an instance.
func New(by, spec, job string) Instance {
	return Instance{ID: rand.Text(), Made: time.Now().UTC().Truncate(time.Second), By: by, Spec: spec, Job: job}
}

// There reports whether the instance exists.
func (i Instance) There() bool { return i.ID != "" }

// InMarks returns the id that marks carry, or "".
func (i Instance) InMarks() string {
	if i.Unmarked {
		return ""
	}
	return i.ID
}
