package regex_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/regex"
)

func TestReplaceWithBothEngines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expression, text, replacement, want string }{
		{`a(b)`, "ab ab", "<$1>", "<b> <b>"},
		{`(?P<x>b)`, "abc", "$x${x}y$$", "abby$c"},
		{`^a`, "a\na", "b", "b\nb"},
		{`a$`, "a\na", "b", "b\nb"},
		{`^(\w(?!.*\bcgroup=1\b).*)$`, "root=x quiet\n", "${1} cgroup=1", "root=x quiet cgroup=1\n"},
		{`^(\w(?!.*\bcgroup=1\b).*)$`, "root=x cgroup=1 quiet\n", "$1 cgroup=1", "root=x cgroup=1 quiet\n"},
		{`(?<=port )\d+`, "port 80, 81", "8080", "port 8080, 81"},
		{`(?P<word>\w+) \k<word>|(?P<x>\w)=\k<x>`, "the the end", "$word$2", "the end"},
		{`(\w+) \1`, "the the end", "$1", "the end"},
		{`(é)(?=ü)`, "xéü", "[$1]$9$", "x[é]$ü"},
		{`(?!x)y`, "y", "${", "${"},
	} {
		re, err := regex.CompileLines(c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		got, err := re.Replace(c.text, c.replacement)
		if err != nil || got != c.want {
			t.Errorf("%s in %q: %q, %v, want %q", c.expression, c.text, got, err, c.want)
		}
	}
}

func TestMatchesHaveTheirGroups(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{`(?P<l>\w)(?P<n>\d)(?P<z>z)?`, `(?P<l>\w)(?P<n>\d)(?<z>z)?(?!x)`} {
		re, err := regex.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		all, err := re.FindAll("a1 b2z")
		if diff := cmp.Diff([][]string{{"a1", "a", "1", ""}, {"b2z", "b", "2", "z"}}, all); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", expression, err, diff)
		}
		first, err := re.Find("a1 b2z")
		if diff := cmp.Diff([]string{"a1", "a", "1", ""}, first); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", expression, err, diff)
		}
		none, err := re.Find("-")
		if found, matchErr := re.Match("-"); none != nil || found || err != nil || matchErr != nil {
			t.Errorf("%s: %v, %t, %v, %v, want no match", expression, none, found, err, matchErr)
		}
		if diff := cmp.Diff([]string{"", "l", "n", "z"}, re.Names()); diff != "" {
			t.Errorf("%s: names\n%s", expression, diff)
		}
	}
}

func TestPlaceIsInBytes(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{`ö+`, `ö+(?=x)`} {
		re, err := regex.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		if start, end, found, err := re.Index("äööx"); start != 2 || end != 6 || !found || err != nil {
			t.Errorf("%s: %d, %d, %t, %v, want 2 to 6", expression, start, end, found, err)
		}
		if start, end, found, err := re.Index("a"); start != 0 || end != 0 || found || err != nil {
			t.Errorf("%s: %d, %d, %t, %v, want no match", expression, start, end, found, err)
		}
	}
}

func TestErrorIsThatOfTheEngineThatKnowsMost(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"(":               "error parsing regexp: missing closing ): `(`",
		"a{2":             "",
		"(?<x>a)(b)(?=c)": "some groups have names and others have none, so that it is not plain how they are counted: want names for all or for none",
		"[z-a]":           "error parsing regexp: invalid character class range: `z-a`",
		"(?=a":            "error parsing regexp: missing closing ) in `(?=a`",
		`(?x)\9`:          "error parsing regexp: reference to undefined group number 9 in `(?x)\\9`",
	} {
		_, err := regex.CompileLines(expression)
		if got := text(err); got != want {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
