package pattern

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// letters is the order of ranges of letters.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// most is how many hosts one name may mean: a mistyped range must not fill the
// memory.
const most = 100_000

// SplitPort parts a name from the port behind it, which is 0 when there is none.
// An IPv6 address with a port stands in brackets.
func SplitPort(name string) (host string, port int, err error) {
	if _, e := netip.ParseAddr(name); e == nil {
		return name, 0, nil
	}
	if rest, found := strings.CutPrefix(name, "["); found {
		if inner, after, closed := strings.Cut(rest, "]"); closed && isIPv6(inner) {
			if after == "" {
				return inner, 0, nil
			}
			port, err = parsePort(name, len(inner)+2)
			return inner, port, err
		}
	}
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 || strings.LastIndexByte(name, ']') > colon {
		return name, 0, nil
	}
	port, err = parsePort(name, colon)
	return name[:colon], port, err
}

func isIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6()
}

func parsePort(name string, colon int) (int, error) {
	digits, found := strings.CutPrefix(name[colon:], ":")
	port, err := strconv.ParseUint(digits, 10, 16)
	if !found || err != nil || port == 0 {
		return 0, &Error{colon, len(name), fmt.Sprintf("What follows the colon in %q must be a port, a number from 1 to 65535.", name)}
	}
	return int(port), nil
}

// Expand lists the names that a name with ranges in brackets means, in their order.
// A name without brackets means itself.
func Expand(name string) ([]string, error) { return expand(name, 0) }

// expand is Expand of the end of a name that begins at an offset.
func expand(name string, offset int) ([]string, error) {
	open := strings.IndexByte(name, '[')
	if open < 0 {
		if at := strings.IndexByte(name, ']'); at >= 0 {
			return nil, &Error{offset + at, offset + at + 1, "There is no [ that this ] closes."}
		}
		return []string{name}, nil
	}
	length := strings.IndexByte(name[open:], ']') + 1
	if length == 0 {
		return nil, &Error{offset + open, offset + len(name), "The [ of this range has no ] that closes it."}
	}
	inner, problem := parseRange(name[open+1 : open+length-1])
	if problem != "" {
		return nil, &Error{offset + open, offset + open + length, problem}
	}
	tails, err := expand(name[open+length:], offset+open+length)
	if err != nil {
		return nil, err
	}
	if len(inner)*len(tails) > most {
		return nil, &Error{offset + open, offset + open + length, fmt.Sprintf("This means more than %d hosts.", most)}
	}
	names := make([]string, 0, len(inner)*len(tails))
	for _, middle := range inner {
		for _, tail := range tails {
			names = append(names, name[:open]+middle+tail)
		}
	}
	return names, nil
}

// parseRange lists what a range such as 01:50:2 or a:f means, or says what is wrong.
func parseRange(text string) (all []string, problem string) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, fmt.Sprintf("A range is [first:last] or [first:last:step], as in web[01:10]; %q is not.", text)
	}
	step := 1
	if len(parts) == 3 {
		n, err := strconv.ParseUint(parts[2], 10, 31)
		if err != nil || n == 0 {
			return nil, fmt.Sprintf("The step of a range is a number from 1 on; %q is not.", parts[2])
		}
		step = int(n)
	}
	first, last := parts[0], parts[1]
	if first == "" {
		first = "0"
	}
	if last == "" {
		return nil, "The range has no last value, as in web[01:10]."
	}
	if from, to := letter(first), letter(last); from >= 0 && to >= 0 {
		return ofLetters(from, to, step)
	}
	return ofNumbers(first, last, step)
}

// letter is the rank of a letter, -1 when the text is none.
func letter(text string) int {
	if len(text) != 1 {
		return -1
	}
	return strings.Index(letters, text)
}

func ofLetters(from, to, step int) (all []string, problem string) {
	if from > to {
		return nil, fmt.Sprintf("The range goes backwards: %c comes after %c.", letters[from], letters[to])
	}
	for ; from <= to; from += step {
		all = append(all, letters[from:from+1])
	}
	return all, ""
}

func ofNumbers(first, last string, step int) (all []string, problem string) {
	from, err1 := strconv.ParseUint(first, 10, 31)
	to, err2 := strconv.ParseUint(last, 10, 31)
	if err1 != nil || err2 != nil {
		return nil, fmt.Sprintf("A range goes from a number to a number or from a letter to a letter, not from %q to %q.", first, last)
	}
	if from > to {
		return nil, fmt.Sprintf("The range goes backwards: %s is more than %s.", first, last)
	}
	width := 0
	if len(first) > 1 && first[0] == '0' {
		width = len(first)
		if len(last) != width {
			return nil, fmt.Sprintf("%s has leading zeros, so %s must have as many digits.", first, last)
		}
	}
	for n := from; n <= to; n += uint64(step) {
		if len(all) == most {
			return nil, fmt.Sprintf("This means more than %d hosts.", most)
		}
		all = append(all, fmt.Sprintf("%0*d", width, n))
	}
	return all, ""
}
