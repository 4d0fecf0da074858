package sshconfig

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Jump is one machine of a way: a name, which may be an alias of the configuration itself, and what of its settings is
// given with it.
type Jump struct {
	User string
	Host string
	Port int // 0 without one
}

// String formats a jump as ParseJumps reads it.
func (j Jump) String() string {
	text := j.Host
	switch {
	case j.Port != 0:
		text = net.JoinHostPort(j.Host, strconv.Itoa(j.Port))
	case strings.Contains(j.Host, ":"):
		text = "[" + j.Host + "]"
	}
	if j.User != "" {
		text = j.User + "@" + text
	}
	return text
}

// ParseJumps reads the value of ProxyJump: jumps with commas between, the nearest one first, each as [USER@]HOST[:PORT] or
// ssh://[USER@]HOST[:PORT]. An IPv6 address with a port is in brackets. "none" and "" are no jumps.
func ParseJumps(value string) ([]Jump, error) {
	if value == "" || lower(value) == "none" {
		return nil, nil
	}
	var all []Jump
	for text := range strings.SplitSeq(value, ",") {
		jump, err := parseJump(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no way through another machine: write [USER@]HOST[:PORT]", value)
		}
		all = append(all, jump)
	}
	return all, nil
}

func parseJump(text string) (Jump, error) {
	var j Jump
	text, isURI := strings.CutPrefix(strings.TrimSpace(text), "ssh://")
	if isURI {
		text = strings.TrimSuffix(text, "/")
	}
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		j.User, text = text[:i], text[i+1:]
		if j.User == "" {
			return j, strconv.ErrSyntax
		}
	}
	j.Host = text
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		j.Host = text[1 : len(text)-1]
	} else if strings.HasPrefix(text, "[") || strings.Count(text, ":") == 1 {
		host, port, err := net.SplitHostPort(text)
		if err != nil {
			return j, err
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return j, strconv.ErrRange
		}
		j.Host, j.Port = host, int(number)
	}
	if j.Host == "" || strings.HasPrefix(j.Host, "-") || strings.ContainsAny(j.Host, "/ \t") {
		return j, strconv.ErrSyntax
	}
	return j, nil
}
