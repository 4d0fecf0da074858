package secret_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kinit/engine/secret"
)

func TestValuePrintsAsMask(t *testing.T) {
	value := secret.Value("hunter22")
	holder := struct {
		Name  string
		Value secret.Value
		List  []secret.Value
		Map   map[string]secret.Value
		Ptr   *secret.Value
	}{"x", value, []secret.Value{value}, map[string]secret.Value{"k": value}, &value}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s", "%t", "%U", "%e", "%c"} {
		for _, what := range []any{value, &value, holder, &holder} {
			text := fmt.Sprintf(verb, what)
			if strings.Contains(text, "hunter22") || strings.Contains(strings.ToLower(text), "68756e746572") {
				t.Errorf("%s of %T leaks: %s", verb, what, text)
			}
		}
	}
	if got := fmt.Sprint(value); got != "***" {
		t.Errorf("got %q", got)
	}
	if got := fmt.Sprint(secret.Value("")); got != "" {
		t.Errorf("an empty secret prints %q", got)
	}
	if got := fmt.Errorf("wrong: %w, %v", errors.New("x"), value).Error(); got != "wrong: x, ***" {
		t.Errorf("got %q", got)
	}
	text, err := json.Marshal(holder)
	if want := `{"Name":"x","Value":"***","List":["***"],"Map":{"k":"***"},"Ptr":"***"}`; string(text) != want || err != nil {
		t.Errorf("got %s, error %v", text, err)
	}
	if value.Reveal() != "hunter22" {
		t.Error("Reveal does not reveal")
	}
}

func TestRedact(t *testing.T) {
	const pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nshort\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END KEY-----\n"
	cases := []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"nothing known", nil, "hunter22", "hunter22"},
		{"every time", []string{"hunter22"}, "hunter22 and hunter22hunter22", "*** and ******"},
		{"short ones are left", []string{"root"}, "root", "root"},
		{"five bytes are enough", []string{"r00t!"}, "r00t!", "***"},
		{"the longer one of two", []string{"hunter", "hunter22"}, "hunter22 hunter", "*** ***"},
		{"whichever is added first", []string{"hunter22", "hunter"}, "hunter22 hunter", "*** ***"},
		{"with a line end that the output lacks", []string{"hunter22\n"}, "got hunter22.", "got ***."},
		{"with a line end that the output has", []string{"hunter22\n"}, "got hunter22\n.", "got ***."},
		{"in base64", []string{"hunter22"}, "aHVudGVyMjI=", "***"},
		{"in base64 with its line end", []string{"hunter22\n"}, "aHVudGVyMjIK aHVudGVyMjI=", "*** ***"},
		{"in a URL", []string{"p@ss w/rd"}, "https://x/?p=p%40ss+w%2Frd", "https://x/?p=***"},
		{"in a path of a URL", []string{"p@ss w/rd"}, "https://u:p%40ss%20w%2Frd@x", "https://u:***@x"},
		{"quoted by a shell", []string{"it's a secret"}, `echo 'it'\''s a secret'`, `echo '***'`},
		{"in JSON", []string{"a\"b\\c\td"}, `{"p":"a\"b\\c\td"}`, `{"p":"***"}`},
		{"in JSON that escapes HTML", []string{"<a&b>c"}, `{"p":"\u003ca\u0026b\u003ec"}`, `{"p":"***"}`},
		{"a key with escaped lines", []string{pem}, strings.ReplaceAll(strings.TrimSpace(pem), "\n", `\n`), "***"},
		{"one line of a key", []string{pem}, "x MIIEvQIBADANBgkqhkiG9w0BAQEFAASC x", "x *** x"},
		{"a key, indented", []string{pem}, "  MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n  BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "  ***\n  ***"},
		{"the frame of a key is no secret", []string{pem}, "-----BEGIN KEY-----", "-----BEGIN KEY-----"},
		{"blanks alone are no secret", []string{"          "}, "a          b", "a          b"},
		{"in the base64 of a longer text", []string{"hunter22"}, "dXNlcjpodW50ZXIyMg==", "dXNlcjp***g=="},
		{"in base64 that is broken over lines", []string{"hunter22"}, "data: |\n  aHVud\n  GVyMjI=\n", "data: |\n  ***\n"},
		{"in a diff of broken base64", []string{"hunter22"}, "+aHVud\n+GVyMjI=\n+x", "+***\n+x"},
		{"broken over lines with a sign of its own", []string{"hunt+er22"}, "hunt\n+er22", "***"},
		{"broken over lines by a backslash", []string{"hunter22"}, "echo hunt\\\n    er22", "echo ***"},
		{"broken over lines in JSON", []string{"hunter22"}, `{"a":"aHVud\nGVyMjI=\n"}`, `{"a":"***\n"}`},
		{"short lines of a secret in a diff", []string{"one\ntwo\nthree"}, "+one\n+two\n+three\n", "+***\n"},
		{"broken at a blank", []string{"two words 22"}, "x two \nwords\n 22 y", "x *** y"},
		{"lines that are no secret", []string{"hunter22"}, "hunt\n+\n-er23\n", "hunt\n+\n-er23\n"},
		{"with a colour in it", []string{"hunter22"}, "x hun\x1b[0mter22 y", "x *** y"},
		{"with a long colour in it", []string{"hunter22"}, "hun\x1b[38;5;12mter\x1b[K22", "***"},
		{"with a title of a terminal in it", []string{"hunter22"}, "hun\x1b]0;title\ater\x1b]8;;http://x\x1b\\22", "***"},
		{"between colours", []string{"hunter22"}, "\x1b[1mhunter22\x1b[0m", "\x1b[1m***\x1b[0m"},
		{"with NULs in it", []string{"hunter22"}, "hunt\x00\x00er22", "***"},
		{"with an escape that introduces nothing", []string{"hunter22"}, "hunt\x1ber22", "***"},
		{"with zero-width and bidirectional characters in it", []string{"hunter22"}, "h\u200bun\u202eter\ufeff22", "***"},
		{"with C1 controls in it", []string{"hunter22"}, "hunt\u0085er22", "***"},
		{"backspaced", []string{"hunter22"}, "hunter\b22", "***"},
		{"in UTF-16", []string{"hunter22"}, "\xff\xfex\x00h\x00u\x00n\x00t\x00e\x00r\x002\x002\x00.\x00", "\xff\xfex***\x00.\x00"},
		{"in UTF-16 with the high byte first", []string{"hunter22"}, "\x00h\x00u\x00n\x00t\x00e\x00r\x002\x002\x00.", "***\x00."},
		{"in UTF-16, broken over lines", []string{"hunter22"}, "h\x00u\x00n\x00t\x00\n\x00e\x00r\x002\x002\x00", "***\x00"},
		{"in UTF-16 beyond ASCII", []string{"schlüssel€"}, "a\x00s\x00c\x00h\x00l\x00\xfc\x00s\x00s\x00e\x00l\x00\xac\x20.\x00", "a\x00***.\x00"},
		{"controls that hide nothing", []string{"hunter22"}, "\x1b[0mhunt\x00er23", "\x1b[0mhunt\x00er23"},
		{"no text", []string{"hunter22"}, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var r secret.Redactor
			r.Add(c.secrets...)
			if got := r.Redact(c.text); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestRedactLineMasksPiecesOfSecrets(t *testing.T) {
	var r secret.Redactor
	r.Add("a-long-secret-of-several-words")
	for line, want := range map[string]string{
		"get a-long-secret-of-several-words": "get ***",
		"secret-of":                          "***", // from its middle
		"begins: a-long-sec":                 "***",
		"eral-words and more":                "***",
		"YS1sb25nLXNlY3":                     "***", // the beginning of its base64
		"several words":                      "several words",
		"sec":                                "sec",
		"":                                   "",
	} {
		if got := r.RedactLine(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	var empty secret.Redactor
	if got := empty.RedactLine("anything"); got != "anything" {
		t.Errorf("without secrets: got %q", got)
	}
}

func TestRedactorIsSafeForManyGoroutines(t *testing.T) {
	var r secret.Redactor
	done := make(chan bool)
	for i := range 8 {
		go func() {
			defer func() { done <- true }()
			for j := range 50 {
				r.Add(fmt.Sprintf("secret-%d-%d", i, j))
				if got := r.Redact(fmt.Sprintf("x secret-%d-%d y", i, j)); got != "x *** y" {
					t.Errorf("got %q", got)
				}
			}
		}()
	}
	for range 8 {
		<-done
	}
}

// Whatever a secret is, neither it nor a quoted form of it is left in a text that
// holds it.
func FuzzRedact(f *testing.F) {
	f.Add("hunter22", "before ", " after")
	f.Add("it's", "'", "'")
	f.Add("a\nb\nc", "", "")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		if len(strings.TrimSpace(value)) < 5 || strings.Contains("***", value) {
			return
		}
		var r secret.Redactor
		r.Add(value)
		if got := r.Redact(before + value + after); strings.Contains(got, value) && !strings.Contains(before+"***"+after, value) {
			t.Errorf("%q is left in %q", value, got)
		}
	})
}
