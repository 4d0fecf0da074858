package sshconfig

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// tokens are the values of the tokens that ssh_config(5) lists under TOKENS, by their letters.
type tokens map[byte]string

// tokensOf returns the tokens of a host.
func tokensOf(s Settings, original string, user identity) tokens {
	machine, _ := os.Hostname() // without one these tokens are empty
	short, _, _ := strings.Cut(machine, ".")
	port := strconv.Itoa(cmp.Or(s.Port, DefaultPort))
	var jump string
	if len(s.Jumps) > 0 {
		jump = s.Jumps[len(s.Jumps)-1].Host
	}
	key, remote := cmp.Or(s.HostKeyAlias, original), cmp.Or(s.User, user.name)
	hash := sha1.Sum([]byte(machine + s.HostName + port + remote + jump))
	return tokens{
		'%': "%", 'C': hex.EncodeToString(hash[:]), 'd': user.home, 'h': s.HostName, 'i': strconv.Itoa(user.uid), 'j': jump,
		'k': key, 'L': short, 'l': machine, 'n': original, 'p': port, 'r': remote, 'u': user.name,
	}
}

// expand replaces the tokens in a text.
func (t tokens) expand(text string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", fmt.Errorf("%q ends with %%", text)
		}
		value, ok := t[text[i]]
		if !ok {
			return "", fmt.Errorf("%q has the unknown token %%%c", text, text[i])
		}
		out.WriteString(value)
	}
	return out.String(), nil
}

// variables replaces ${NAME} by variables of the environment.
func (u identity) variables(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q has a ${ without }", text)
		}
		value, set := u.environ(name)
		if !set {
			return "", fmt.Errorf("the variable %s is not set", name)
		}
		out.WriteString(value)
		text = after
	}
}
