package account

import (
	"crypto/subtle"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"

	//lint:ignore SA1019 NTLM keeps the MD4 of a password (MS-NLMP 3.3.1).
	"golang.org/x/crypto/md4"
)

// ntHash is NTOWFv1 of MS-NLMP 3.3.1: MD4 of the password in UTF-16LE.
func ntHash(password string) []byte {
	hash := md4.New()
	for _, unit := range utf16.Encode([]rune(password)) {
		var b [2]byte
		binary.LittleEndian.PutUint16(b[:], unit)
		hash.Write(b[:])
	}
	return hash.Sum(nil)
}

// SetPassword gives a user another password, which must meet the policy.
func (b *Book) SetPassword(name, password string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.user(name)
	if i < 0 {
		return ErrUserNotFound
	}
	if err := b.secure(&b.state.Users[i], password); err != nil {
		return err
	}
	return b.store.Save(&b.state)
}

// secure sets a password that meets the policy.
func (b *Book) secure(u *User, password string) error {
	if !complex(password, u.Name, u.FullName) {
		return ErrPassword
	}
	u.Hash, u.PasswordSet = ntHash(password), b.now().UTC()
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
	return ok && subtle.ConstantTimeCompare(hash, ntHash(password)) == 1
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
