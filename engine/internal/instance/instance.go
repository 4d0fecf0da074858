// Package instance distinguishes owners with the same name: two clusters with one name have
// instances with different ids, and a controller records which of them are its own.
package instance

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"
)

// ErrTaken is the cause when another instance has the owner's name on a host.
var ErrTaken = errors.New("the owner's name is taken")

// Instance is the identity behind an owner's name. It is made once, when a run of the owner
// makes its first mark, and is the same on all hosts.
type Instance struct {
	ID   string    `json:"id"` // random, at least 128 bits; letters and digits only
	Made time.Time `json:"made"`
	By   string    `json:"by"`             // as Controller names it
	Spec string    `json:"spec,omitempty"` // the spec of that run
	Job  string    `json:"job,omitempty"`  // the periodic job of that run; empty if a person started it
	// Adopted names who has adopted what a job made: the job leaves that alone.
	Adopted string `json:"adopted,omitempty"`
	// Plain is set if that run had no cluster. Instances from before this field have it unset.
	Plain bool `json:"plain,omitempty"`
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

// Origin says who made the instance, when and from what: "bob@pc made it on …".
func (i Instance) Origin() string {
	text := fmt.Sprintf("%s made it on %s", i.By, i.Made.UTC().Format("2006-01-02 at 15:04:05 MST"))
	if i.Spec != "" {
		text += " from " + i.Spec
	}
	if i.Job != "" {
		text += fmt.Sprintf(" in the job %q", i.Job)
	}
	if i.Adopted != "" {
		text += fmt.Sprintf(", and %s has adopted it", i.Adopted)
	}
	return text
}

// Controller names the user and the machine of this process: user@machine, without spaces.
func Controller() string {
	who, where := "somebody", "somewhere"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if name, err := os.Hostname(); err == nil {
		where = name
	}
	return strings.Join(strings.Fields(who), "_") + "@" + where
}
