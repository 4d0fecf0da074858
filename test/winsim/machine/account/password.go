package account

import (
	"crypto/subtle"
	"strings"
	"unicode"

	"kinit/test/winsim/process"
)

// SetPassword gives a user another password, which must meet the policy.
func (b *Book) SetPassword(name, password string) error {
	return b.changeUser(name, func(u *User) error { return b.secure(u, password) })
}

// secure sets a password that meets the policy.
func (b *Book) secure(u *User, password string) error {
	if !complex(password, u.Name, u.FullName) {
		return ErrPassword
	}
	u.Hash, u.PasswordSet = process.NTHash(password), b.now().UTC()
	return nil
}

// complex is the policy "Password must meet complexity requirements", which is on by
// default: three of five classes, at least six characters, not the user's name.
func complex(password, name, fullName string) bool {
	if len([]rune(password)) < 6 {
		return false
	}
	lower := strings.ToLower(password)
	if len(name) > 2 && strings.Contains(lower, strings.ToLower(name)) {
		return false
	}
	for part := range strings.FieldsFuncSeq(fullName, func(r rune) bool { return strings.ContainsRune(",.-_ #\t", r) }) {
		if len(part) > 2 && strings.Contains(lower, strings.ToLower(part)) {
			return false
		}
	}
	return classes(password) >= 3
}

func classes(password string) int {
	var upper, low, digit, sign, other int
	for _, r := range password {
		switch {
		case unicode.IsUpper(r):
			upper = 1
		case unicode.IsLower(r):
			low = 1
		case unicode.IsDigit(r):
			digit = 1
		case unicode.IsLetter(r):
			other = 1
		default:
			sign = 1
		}
	}
	return upper + low + digit + sign + other
}

// Check reports whether a user may log on over the network with a password. A user
// without one never may.
func (b *Book) Check(name, password string) bool {
	hash, ok := b.NTHash(name)
	return ok && subtle.ConstantTimeCompare(hash, process.NTHash(password)) == 1
}

// NTHash returns what NTLM compares, for a user who may log on over the network.
func (b *Book) NTHash(name string) ([]byte, bool) {
	u, err := b.User(name)
	if err != nil || u.Disabled || len(u.Hash) == 0 {
		return nil, false
	}
	if !u.AccountExpires.IsZero() && b.now().After(u.AccountExpires) {
		return nil, false
	}
	return u.Hash, true
}
