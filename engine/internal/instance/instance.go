// Package instance says whose a name of an owner is: two clusters of one name are told apart
// by the ids of their instances, and a controller remembers which of them are its own.
package instance

import (
	"crypto/rand"
	"time"
)

// Instance is what an owner's name stands for. It is made once, when a run of the owner first
// marks something, and is the same on all hosts.
type Instance struct {
	ID   string    `json:"id"` // random, at least 128 bits; letters and digits only
	Made time.Time `json:"made"`
	By   string    `json:"by"`             // user@controller
	Spec string    `json:"spec,omitempty"` // what that run was told to do
	// Unmarked says that marks do not carry the id: it was given to things that were there
	// before marks had any.
	Unmarked bool `json:"unmarked,omitempty"`
}

// New makes an instance.
func New(by, spec string) Instance {
	return Instance{ID: rand.Text(), Made: time.Now().UTC().Truncate(time.Second), By: by, Spec: spec}
}

// There tells whether it is one.
func (i Instance) There() bool { return i.ID != "" }

// InMarks is what marks carry of it, or nothing.
func (i Instance) InMarks() string {
	if i.Unmarked {
		return ""
	}
	return i.ID
}
