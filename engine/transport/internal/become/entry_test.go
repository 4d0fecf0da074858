package become

import (
	"errors"
	"strings"
	"testing"

	"kinit/engine/transport"
)

func TestPasswordIsInNoLine(t *testing.T) {
	t.Parallel()
	for _, method := range []string{Sudo, Doas, Su} {
		for _, terminal := range []bool{false, true} {
			e := NewEntry(User{Name: "web", Method: method}, "the-password", terminal)
			if line := e.Line("sh"); strings.Contains(line, "the-password") || strings.Contains(line, "script") != (terminal || method == Doas) {
				t.Errorf("%s, on a terminal %v: %s", method, terminal, line)
			}
		}
	}
}

// The languages of PAM's question end with a colon, some with the wide one.
func TestQuestionsAreFoundInAllLanguages(t *testing.T) {
	t.Parallel()
	for text, asked := range map[string]bool{
		"Password: ": true, "Passwort: ": true, "Mot de passe\u00a0: ": true, "パスワード: ": true, "密码：": true, "doas (web@host) password: ": true,
		"su: Authentication failure\n": false, "su: ": false, "a notice\nsu:": false, "a notice: yes": false, "": false,
	} {
		_, event := NewDialog(NewEntry(User{Name: "web", Method: Su}, "the-password", false)).Feed([]byte(text))
		if (event == Asked) != asked {
			t.Errorf("%q: event %d, want asked %v", text, event, asked)
		}
	}
}

func TestMarkEndsTheDialogAndTheRestIsOutput(t *testing.T) {
	t.Parallel()
	e := NewEntry(User{Name: "web"}, "the-password", false)
	d := NewDialog(e)
	for _, c := range []struct {
		part  string
		used  int
		event Event
	}{
		{"We trust you have received the usual lecture: ", 46, Nothing},
		{"[sudo: " + e.Prompt[:5], 12, Nothing},
		{e.Prompt[5:] + "] Passwort: ", len(e.Prompt) - 5 + 12, Asked},
		{"\n" + e.Mark[:3], 4, Nothing},
		{e.Mark[3:] + "output", len(e.Mark) - 3, Begun},
	} {
		if used, event := d.Feed([]byte(c.part)); used != c.used || event != c.event {
			t.Errorf("%q: used %d, event %d, want %d, %d", c.part, used, event, c.used, c.event)
		}
	}
}

func TestSecondQuestionIsARefusal(t *testing.T) {
	t.Parallel()
	e := NewEntry(User{Name: "web"}, "the-password", false)
	d := NewDialog(e)
	d.Feed([]byte(e.Prompt))
	if _, event := d.Feed([]byte("Sorry, try again.\n" + e.Prompt)); event != Refused || !errors.Is(d.Refusal(), transport.ErrPassword) {
		t.Errorf("event %d, error %v", event, d.Refusal())
	}
}
