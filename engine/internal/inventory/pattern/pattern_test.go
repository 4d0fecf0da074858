package pattern

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// farm is web1 to web4, old1, db1, db2 in groups.
type farm struct{}

func (farm) HostNames() []string  { return strings.Fields("web1 web2 web3 web4 old1 db1 db2") }
func (farm) GroupNames() []string { return strings.Fields("web db prod par empty") }
func (farm) Members(group string) ([]string, bool) {
	members, ok := map[string]string{
		"web": "web1 web2 web3 web4 old1", "db": "db1 db2", "prod": "web1 db1", "par": "web1 web2 web3 web4 old1 db1 db2", "empty": "",
	}[group]
	return strings.Fields(members), ok
}

func hostsOf(t *testing.T, text string) string {
	t.Helper()
	terms, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(Combine(terms, farm{}, func(t Term) []string { return t.Match(farm{}) }), " ")
}

// TestPatterns has what "ansible --list-hosts" of Ansible 2.14 says to the same
// patterns, but for slices that begin or end without a number, where it is what
// Ansible's documentation says, and for the order: kinit lists the hosts that an
// expression means before the members of groups.
func TestPatterns(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"all": "web1 web2 web3 web4 old1 db1 db2", "*": "web1 web2 web3 web4 old1 db1 db2", "": "web1 web2 web3 web4 old1 db1 db2",
		"web": "web1 web2 web3 web4 old1", "web1": "web1", "db:web1": "db1 db2 web1", "web3,web1": "web3 web1", "web1:web1": "web1",
		"web[0]": "web1", "web[-1]": "old1", "web[9]": "", "web[-9]": "", "all[0]": "web1", "par[0]": "web1", "db*[0]": "db1", "w[e]b*[0]": "web1", "web[0]:db": "web1 db1 db2",
		"web[0:2]": "web1 web2 web3", "web[1:]": "web2 web3 web4 old1", "web[:2]": "web1 web2 web3", "web[-2:]": "web4 old1", "web[0:-1]": "web1 web2 web3 web4 old1", "web[-3:-2]": "web3 web4", "web[2:1]": "", "web[3:9]": "web4 old1",
		"web*": "web1 web2 web3 web4 old1", "w?b1": "web1", "*1": "web1 old1 db1", "we[ab]1": "web1", "[wd]*1": "web1 db1", "[!w]*1": "old1 db1", "web[0-1]": "web1", "WEB1": "",
		"~web[12]": "web1 web2", "~^(web|db)1$": "web1 db1", "~(web|db):!db1": "web1 web2 web3 web4 db2 old1", "~eb1": "", "~1$": "", "~(?i)WEB1": "web1", "~web[1,2]": "web1 web2", "~w.{2}1": "web1",
		"web:!old1": "web1 web2 web3 web4", "web:&prod": "web1", "!web": "db1 db2", "&web": "web1 web2 web3 web4 old1", "!web1:web": "web2 web3 web4 old1", "web,!web[0]": "web2 web3 web4 old1",
		"par:&web:&prod": "web1", "!all": "", "web:!~web[12]": "web3 web4 old1", "web : !old1 , db": "web1 web2 web3 web4 db1 db2", "empty": "", "nope": "",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, hostsOf(t, text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseFindsTermsAndTheirPlaces(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"web:!old":                "0 web@0-3 2 old@4-8",
		" a , &b:c,,":             "0 a@1-2 1 b@5-7 0 c@8-9",
		"2001:db8::1,!2001:db8::": "0 2001:db8::1@0-11 2 2001:db8::@12-23",
		"web1.example.com":        "0 web1.example.com@0-16",
		`~a\(b,c`:                 `0 ~a\(b@0-5 0 c@6-7`,
		"~(a,b):c":                "0 ~(a,b)@0-6 0 c@7-8",
		"":                        "",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			terms, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, term := range terms {
				got = append(got, fmt.Sprintf("%d %s@%d-%d", term.Op, term.Text, term.From, term.To))
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseTellsWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"web:!":     "4-5: A name or pattern must follow, as in web:!old.",
		"a,~web(":   "2-7: This is no regular expression: missing closing ): `web(`.",
		"~a)(b":     "0-5: This is no regular expression: unexpected ): `a)(b`.",
		"web[1":     "0-5: This is no pattern: a [ has no ] that closes it.",
		"web[a":     "0-5: This is no pattern: a [ has no ] that closes it.",
		"web[]":     "0-5: An index is a number, as in web[0], or two with a colon between, as in web[0:2].",
		"web[-]":    "0-6: An index is a number, as in web[0], or two with a colon between, as in web[0:2].",
		"web[:]":    "0-6: An index is a number, as in web[0], or two with a colon between, as in web[0:2].",
		"web[-:2]":  "0-8: An index is a number, as in web[0], or two with a colon between, as in web[0:2].",
		"db,we[b[0": "3-9: This is no pattern: a [ has no ] that closes it.",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(text)
			var problem *Error
			if !errors.As(err, &problem) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(want, fmt.Sprintf("%d-%d: %s", problem.From, problem.To, problem.Text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"web:!old", "~(a|b)[0]", "web[0:2],&x", "2001:db8::1", "[!a]*", "web[-1:]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms, err := Parse(text)
		var problem *Error
		if errors.As(err, &problem) && (problem.From < 0 || problem.From > problem.To || problem.To > len(text)) {
			t.Errorf("the place %d-%d is not in %q", problem.From, problem.To, text)
		}
		for _, term := range terms {
			if text[term.From:term.To] != term.Text && text[term.From+1:term.To] != term.Text {
				t.Errorf("%d-%d of %q is not %q", term.From, term.To, text, term.Text)
			}
		}
		Combine(terms, farm{}, func(t Term) []string { return t.Match(farm{}) })
	})
}
