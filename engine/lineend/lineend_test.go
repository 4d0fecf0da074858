package lineend

import "testing"

func TestOnlyTextsOfWindowsAreConverted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "a": "a", "a\n": "a\n", "a\r\nb": "a\nb", "a\r\nb\n": "a\r\nb\n", "a\rb\r\n": "a\rb\n",
	} {
		if got := Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
		if got := Like(text, Plain(text)); got != text {
			t.Errorf("Like(%q) = %q", text, got)
		}
	}
	if got := string(Unix([]byte("a\r\nb\nc\r"))); got != "a\nb\nc\r" {
		t.Errorf("Unix: %q", got)
	}
}
