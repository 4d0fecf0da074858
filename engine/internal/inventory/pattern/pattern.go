// Package pattern parses texts that stand for several hosts: ranges of names in inventories,
// such as web[01:50:2].example.com, which a port may follow, and patterns that select hosts,
// such as web:!old or db[0:2]. The syntax is Ansible's.
package pattern

import (
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// All is the pattern of every host.
const All = "all"

// Op is what a term does to the hosts that the terms before it mean.
type Op int

// What a term does. Those that add come first, then those that keep, then those
// that leave out, whatever their order is.
const (
	Add   Op = iota
	Keep     // &x: only hosts that x means too
	Leave    // !x: without the hosts that x means
)

// Term is one part of a pattern.
type Term struct {
	Op       Op
	Text     string // as it was written, without the ! or &
	From, To int    // offsets of the term in the pattern
	name     string // without the index
	regex    *regexp.Regexp
	index    *index
}

// index picks hosts out of a list: those from first to last, both included.
// Negative numbers count from the end.
type index struct{ first, last int }

// Error is what is wrong with a part of a pattern or name: From and To are offsets into it.
type Error struct {
	From, To int
	Text     string
}

func (e *Error) Error() string { return e.Text }

// Names is what terms are looked up in.
type Names interface {
	// HostNames are the names of all hosts, in their order.
	HostNames() []string
	// GroupNames are the names of all groups, in their order.
	GroupNames() []string
	// Members are the hosts of a group, and whether there is one of that name.
	Members(group string) (hosts []string, ok bool)
}

// Parse reads a pattern. Terms have commas or colons between them; those within
// brackets and the colons of IPv6 addresses do not count.
func Parse(text string) ([]Term, error) {
	var terms []Term
	for _, comma := range split(text, 0, len(text), ',') {
		parts := [][2]int{comma}
		if !isAddress(text[comma[0]:comma[1]]) {
			parts = split(text, comma[0], comma[1], ':')
		}
		for _, part := range parts {
			term, err := parse(text, part[0], part[1])
			if err != nil {
				return nil, err
			}
			if term.Text != "" {
				terms = append(terms, term)
			}
		}
	}
	return terms, nil
}

// isAddress reports whether a text is an IP address, perhaps to be kept or left out.
func isAddress(text string) bool {
	_, err := netip.ParseAddr(strings.TrimLeft(strings.TrimSpace(text), "!& "))
	return err == nil
}

// split parts a piece of a text at a mark that stands outside of all brackets.
func split(text string, from, to int, mark byte) (parts [][2]int) {
	depth := 0
	start := from
	for i := from; i < to; i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case strings.IndexByte("[({", c) >= 0:
			depth++
		case strings.IndexByte("])}", c) >= 0:
			depth = max(0, depth-1)
		case c == mark && depth == 0:
			parts = append(parts, [2]int{start, i})
			start = i + 1
		}
	}
	return append(parts, [2]int{start, to})
}

func parse(text string, from, to int) (Term, error) {
	for from < to && text[from] == ' ' {
		from++
	}
	for from < to && text[to-1] == ' ' {
		to--
	}
	t := Term{Text: text[from:to], From: from, To: to}
	if t.Text == "" {
		return t, nil
	}
	switch t.Text[0] {
	case '!':
		t.Op, t.Text = Leave, t.Text[1:]
	case '&':
		t.Op, t.Text = Keep, t.Text[1:]
	}
	t.name = t.Text
	if t.Text == "" {
		return t, &Error{from, to, "A name or pattern must follow, as in web:!old."}
	}
	return t, t.compile()
}

// compile reads the expression or the index of a term.
func (t *Term) compile() error {
	if expr, is := strings.CutPrefix(t.Text, "~"); is {
		_, err := regexp.Compile(expr)
		if err == nil {
			t.regex, err = regexp.Compile("^(?:" + expr + ")")
		}
		if err != nil {
			return &Error{t.From, t.To, "This is no regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ") + "."}
		}
		return nil
	}
	if parts := indexForm.FindStringSubmatch(t.Text); parts != nil && (parts[3] != "" || parts[4] == "") {
		t.name = parts[1]
		t.index = newIndex(parts[2], parts[3], parts[4])
		if t.index == nil {
			return &Error{t.From, t.To, "An index is a number, as in web[0], or two with a colon between, as in web[0:2]."}
		}
	}
	if _, err := path.Match(glob(t.name), ""); err != nil {
		return &Error{t.From, t.To, "This is no pattern: a [ has no ] that closes it."}
	}
	return nil
}

// indexForm is a name with an index: [n], [first:last], [first:] or [:last].
var indexForm = regexp.MustCompile(`^(.+)\[(-?\d*)(:?)(-?\d*)\]$`)

func newIndex(first, colon, last string) *index {
	if colon == "" {
		n, err := strconv.Atoi(first + last)
		if err != nil {
			return nil
		}
		return &index{n, n}
	}
	i := &index{0, -1}
	var err1, err2 error
	if first != "" {
		i.first, err1 = strconv.Atoi(first)
	}
	if last != "" {
		i.last, err2 = strconv.Atoi(last)
	}
	if err1 != nil || err2 != nil || first+last == "" {
		return nil
	}
	return i
}

// pick is the part of a list that an index means; nothing when it is outside.
func (i *index) pick(names []string) []string {
	first, last := i.first, i.last
	if first < 0 {
		first += len(names)
	}
	if last < 0 {
		last += len(names)
	}
	if i.first == i.last && (first < 0 || first >= len(names)) {
		return nil
	}
	first, last = max(first, 0), min(last, len(names)-1)
	if first > last {
		return nil
	}
	return names[first : last+1]
}

// glob is a pattern of the shell as package path has it.
func glob(text string) string { return strings.ReplaceAll(text, "[!", "[^") }

// IsName reports whether the term is a plain name, and which. It may be the name of a
// host that the Names do not have.
func (t Term) IsName() (name string, ok bool) {
	return t.name, t.regex == nil && t.index == nil && !strings.ContainsAny(t.name, "*?[")
}

// Match lists the hosts that a term means, each once. A name that is neither a host
// nor a group gives none.
func (t Term) Match(names Names) []string {
	found := t.Base(names)
	if t.index == nil {
		return found
	}
	return t.index.pick(found)
}

// Base lists the hosts that a term means without its index.
func (t Term) Base(names Names) []string {
	if t.regex == nil {
		if hosts, ok := names.Members(t.name); ok {
			return distinct(hosts)
		}
		if t.name == All {
			return names.HostNames()
		}
	}
	fits := func(name string) bool { return t.regex != nil && t.regex.MatchString(name) }
	if t.regex == nil {
		form := glob(t.name)
		fits = func(name string) bool {
			ok, _ := path.Match(form, name) // its form was checked
			return ok || name == t.name
		}
	}
	var found []string
	for _, name := range names.HostNames() {
		if fits(name) {
			found = append(found, name)
		}
	}
	for _, group := range names.GroupNames() {
		if fits(group) {
			hosts, _ := names.Members(group)
			found = append(found, hosts...)
		}
	}
	return distinct(found)
}

// distinct leaves out what is there already.
func distinct(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

// Combine lists the hosts that terms mean together, each once. match is asked for
// the hosts of each term. Without a term that adds, all hosts are added.
func Combine(terms []Term, names Names, match func(Term) []string) []string {
	byOp := func(op Op) (found []string) {
		for _, t := range terms {
			if t.Op == op {
				found = append(found, match(t)...)
			}
		}
		return distinct(found)
	}
	hosts := byOp(Add)
	if !slices.ContainsFunc(terms, func(t Term) bool { return t.Op == Add }) {
		hosts = slices.Clone(names.HostNames())
	}
	for _, t := range terms {
		if t.Op == Keep {
			kept := setOf(match(t))
			hosts = slices.DeleteFunc(hosts, func(name string) bool { return !kept[name] })
		}
	}
	left := setOf(byOp(Leave))
	return slices.DeleteFunc(hosts, func(name string) bool { return left[name] })
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
