// Package account is the local users and groups of the simulated machine: the
// Security Account Manager of a server in a workgroup, with its rules of passwords and
// its names in the machine's language.
//
// Passwords are kept as what NTLM needs of them and never as text.
package account

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/machine/store"
)

// Well-known identities (MS-DTYP 2.4.2.4).
const (
	SystemSID             = "S-1-5-18"
	LocalServiceSID       = "S-1-5-19"
	NetworkServiceSID     = "S-1-5-20"
	EveryoneSID           = "S-1-1-0"
	AuthenticatedUsersSID = "S-1-5-11"
	AdministratorsSID     = "S-1-5-32-544"
	UsersSID              = "S-1-5-32-545"
	GuestsSID             = "S-1-5-32-546"
)

// What can go wrong; PowerShell has an exception for each.
var (
	ErrUserNotFound   = errors.New("user was not found")
	ErrGroupNotFound  = errors.New("group was not found")
	ErrMemberNotFound = errors.New("member was not found in group")
	ErrPrincipal      = errors.New("principal was not found")
	ErrUserExists     = errors.New("user already exists")
	ErrGroupExists    = errors.New("group already exists")
	ErrMemberExists   = errors.New("member is already in group")
	ErrPassword       = errors.New("the password does not meet the requirements")
	ErrName           = errors.New("the name is invalid")
	ErrBuiltIn        = errors.New("cannot perform this operation on built-in accounts")
)

// User is a local user.
type User struct {
	Name                 string    `json:"name"`
	FullName             string    `json:"full_name,omitempty"`
	Description          string    `json:"description,omitempty"`
	SID                  string    `json:"sid"`
	Hash                 []byte    `json:"hash,omitempty"` // of NTLM; none when there is no password
	Disabled             bool      `json:"disabled,omitempty"`
	PasswordNeverExpires bool      `json:"password_never_expires,omitempty"`
	FixedPassword        bool      `json:"fixed_password,omitempty"` // the user may not change it
	PasswordNotRequired  bool      `json:"password_not_required,omitempty"`
	AccountExpires       time.Time `json:"account_expires,omitzero"`
	PasswordSet          time.Time `json:"password_set,omitzero"`
}

// Group is a local group.
type Group struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	SID         string   `json:"sid"`
	Members     []string `json:"members,omitempty"` // SIDs
}

// Book is the users and groups of one machine. Its methods are safe for concurrent use.
type Book struct {
	language string
	now      func() time.Time
	store    store.File

	mu    sync.Mutex
	state state
}

type state struct {
	Machine string  `json:"machine"` // the SID that those of users begin with
	NextRID uint32  `json:"next_rid"`
	Users   []User  `json:"users"`
	Groups  []Group `json:"groups"`
}

// Open returns the accounts that are kept in the file, or those of a fresh machine of
// that language.
func Open(file store.File, language string, now func() time.Time) (*Book, error) {
	b := &Book{language: language, now: now, store: file}
	found, err := file.Load(&b.state)
	if err != nil || found {
		return b, err
	}
	if err := b.fresh(); err != nil {
		return nil, err
	}
	return b, file.Save(&b.state)
}

func (b *Book) fresh() error {
	var id [12]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	b.state.Machine = fmt.Sprintf("S-1-5-21-%d-%d-%d", binary.LittleEndian.Uint32(id[:]),
		binary.LittleEndian.Uint32(id[4:]), binary.LittleEndian.Uint32(id[8:]))
	b.state.NextRID = 1000
	names := builtin(b.language)
	b.state.Users = []User{
		{Name: "Administrator", SID: b.sid(500), Description: names.administrator, PasswordNeverExpires: true},
		{Name: names.defaultAccount, SID: b.sid(503), Disabled: true, PasswordNotRequired: true},
		{Name: names.guest, SID: b.sid(501), Disabled: true, PasswordNotRequired: true, FixedPassword: true},
		{Name: "WDAGUtilityAccount", SID: b.sid(504), Disabled: true},
	}
	for _, g := range names.groups {
		group := Group{Name: g.name, SID: g.sid}
		switch g.sid {
		case AdministratorsSID:
			group.Members = []string{b.sid(500)}
		case GuestsSID:
			group.Members = []string{b.sid(501)}
		}
		b.state.Groups = append(b.state.Groups, group)
	}
	return nil
}

func (b *Book) sid(rid uint32) string { return fmt.Sprintf("%s-%d", b.state.Machine, rid) }

// nextSID is the SID of a new user or group.
func (b *Book) nextSID() string {
	sid := b.sid(b.state.NextRID)
	b.state.NextRID++
	return sid
}

// Users lists the users by name.
func (b *Book) Users() []User {
	b.mu.Lock()
	defer b.mu.Unlock()
	users := slices.Clone(b.state.Users)
	slices.SortFunc(users, func(x, y User) int { return strings.Compare(strings.ToUpper(x.Name), strings.ToUpper(y.Name)) })
	return users
}

// User returns a user by name or SID. A name may have the machine's before it, as in
// .\name.
func (b *Book) User(name string) (User, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.user(name); i >= 0 {
		return b.state.Users[i], nil
	}
	return User{}, ErrUserNotFound
}

func (b *Book) user(name string) int {
	if _, after, found := strings.Cut(name, `\`); found {
		name = after
	}
	return slices.IndexFunc(b.state.Users, func(u User) bool {
		return strings.EqualFold(u.Name, name) || u.SID == name
	})
}

// AddUser makes a user with a password, or with none when password is empty. It is in
// no group.
func (b *Book) AddUser(u User, password string) (User, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !validName(u.Name, 20):
		return User{}, ErrName
	case b.user(u.Name) >= 0 || b.group(u.Name) >= 0:
		return User{}, ErrUserExists
	}
	if err := b.secure(&u, password); err != nil && password != "" {
		return User{}, err
	}
	u.SID = b.nextSID()
	b.state.Users = append(b.state.Users, u)
	return u, b.store.Save(&b.state)
}

// validName is Windows' rule of the names of users, at most 20 characters, and groups,
// at most 256.
func validName(name string, longest int) bool {
	return name != "" && len([]rune(name)) <= longest && !strings.ContainsAny(name, "\"/\\[]:;|=,+*?<>@") &&
		strings.Trim(name, ". ") != ""
}

// ChangeUser edits a user; the name and SID stay.
func (b *Book) ChangeUser(name string, edit func(*User)) error {
	return b.changeUser(name, func(u *User) error {
		name, sid := u.Name, u.SID
		edit(u)
		u.Name, u.SID = name, sid
		return nil
	})
}

// changeUser edits a user, unless edit refuses.
func (b *Book) changeUser(name string, edit func(*User) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.user(name)
	if i < 0 {
		return ErrUserNotFound
	}
	if err := edit(&b.state.Users[i]); err != nil {
		return err
	}
	return b.store.Save(&b.state)
}

// RenameUser gives a user another name.
func (b *Book) RenameUser(name, to string) error {
	return b.changeUser(name, func(u *User) error {
		switch {
		case !validName(to, 20):
			return ErrName
		case b.user(to) >= 0:
			return ErrUserExists
		}
		u.Name = to
		return nil
	})
}

// RemoveUser deletes a user and its memberships. The built-in ones stay.
func (b *Book) RemoveUser(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.user(name)
	if i < 0 {
		return ErrUserNotFound
	}
	sid := b.state.Users[i].SID
	if rid := sid[strings.LastIndexByte(sid, '-')+1:]; len(rid) == 3 {
		return ErrBuiltIn
	}
	b.state.Users = slices.Delete(b.state.Users, i, i+1)
	for g := range b.state.Groups {
		b.state.Groups[g].Members = slices.DeleteFunc(b.state.Groups[g].Members, func(m string) bool { return m == sid })
	}
	return b.store.Save(&b.state)
}
