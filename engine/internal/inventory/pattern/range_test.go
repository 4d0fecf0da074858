package pattern

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"web":                        "web",
		"www[01:05:2].example.com":   "www01.example.com www03.example.com www05.example.com",
		"db-[9:11]":                  "db-9 db-10 db-11",
		"[a:c]-x":                    "a-x b-x c-x",
		"e[A:C]":                     "eA eB eC",
		"z[y:B]":                     "zy zz zA zB",
		"f[1:2]-[a:b].x":             "f1-a.x f1-b.x f2-a.x f2-b.x",
		"i[:3]":                      "i0 i1 i2 i3",
		"a[1:10:3]":                  "a1 a4 a7 a10",
		"one[7:7]":                   "one7",
		"a[1:3:2147483647]":          "a1",
		"a[a:c:2147483647]":          "aa",
		"":                           "",
		"a[0000000001:0000000002]":   "a0000000001 a0000000002",
		"big[2147483646:2147483647]": "big2147483646 big2147483647",
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Expand(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpandTellsWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"web[1:3":           `3-7: The [ of this range has no ] that closes it.`,
		"web]":              `3-4: There is no [ that this ] closes.`,
		"a[1:2]b]":          `7-8: There is no [ that this ] closes.`,
		"a[1:2]-[x]":        `7-10: A range is [first:last] or [first:last:step], as in web[01:10]; "x" is not.`,
		"a[]":               `1-3: A range is [first:last] or [first:last:step], as in web[01:10]; "" is not.`,
		"a[1:2:3:4]":        `1-10: A range is [first:last] or [first:last:step], as in web[01:10]; "1:2:3:4" is not.`,
		"a[1:]":             `1-5: The range has no last value, as in web[01:10].`,
		"a[5:1]":            `1-6: The range goes backwards: 5 is more than 1.`,
		"a[c:a]":            `1-6: The range goes backwards: c comes after a.`,
		"a[1:b]":            `1-6: A range goes from a number to a number or from a letter to a letter, not from "1" to "b".`,
		"a[-1:2]":           `1-7: A range goes from a number to a number or from a letter to a letter, not from "-1" to "2".`,
		"a[aa:ac]":          `1-8: A range goes from a number to a number or from a letter to a letter, not from "aa" to "ac".`,
		"a[1:3:0]":          `1-8: The step of a range is a number from 1 on; "0" is not.`,
		"a[1:3:]":           `1-7: The step of a range is a number from 1 on; "" is not.`,
		"a[001:10]":         `1-9: 001 has leading zeros, so 10 must have as many digits.`,
		"a[0:2147483647]":   `1-15: This means more than 100000 hosts.`,
		"a[0:999][0:999]":   `1-8: This means more than 100000 hosts.`,
		"a[a:c:9999999999]": `1-17: The step of a range is a number from 1 on; "9999999999" is not.`,
		"a[1:99999999999]":  `1-16: A range goes from a number to a number or from a letter to a letter, not from "1" to "99999999999".`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, err := Expand(name)
			var problem *Error
			if !errors.As(err, &problem) {
				t.Fatalf("got %v and %v", names, err)
			}
			if diff := cmp.Diff(want, fmt.Sprintf("%d-%d: %s", problem.From, problem.To, problem.Text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitPort(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"web":               "web 0",
		"web:2222":          "web 2222",
		"2001:db8::9":       "2001:db8::9 0",
		"[2001:db8::5]:22":  "2001:db8::5 22",
		"[2001:db8::5]":     "2001:db8::5 0",
		"www[01:05].x:8080": "www[01:05].x 8080",
		"www[01:05]":        "www[01:05] 0",
		"192.0.2.1:22":      "192.0.2.1 22",

		"web:":                `What follows the colon in "web:" must be a port, a number from 1 to 65535.`,
		"web:abc":             `What follows the colon in "web:abc" must be a port, a number from 1 to 65535.`,
		"web:0":               `What follows the colon in "web:0" must be a port, a number from 1 to 65535.`,
		"web:65536":           `What follows the colon in "web:65536" must be a port, a number from 1 to 65535.`,
		"[2001:db8::5]x":      `What follows the colon in "[2001:db8::5]x" must be a port, a number from 1 to 65535.`,
		"[2001:db8::5]:66666": `What follows the colon in "[2001:db8::5]:66666" must be a port, a number from 1 to 65535.`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host, port, err := SplitPort(name)
			got := fmt.Sprintf("%s %d", host, port)
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"web[01:10:2]", "[a:f]-x:22", "[::1]:22", "a[1:2][3:4]", "]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, _, err := SplitPort(text)
		if err != nil {
			host = text
		}
		_, err = Expand(host)
		var problem *Error
		if errors.As(err, &problem) && (problem.From < 0 || problem.To > len(host) || problem.From > problem.To) {
			t.Errorf("the place %d-%d is not in %q", problem.From, problem.To, host)
		}
	})
}
