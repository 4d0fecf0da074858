package become

import "testing"

func TestLineQuotesTheCommandForEachMethod(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"":   `exec sudo -n -H -u web -- sh -c 'a b'`,
		Sudo: `exec sudo -n -H -u web -- sh -c 'a b'`,
		Doas: `exec doas -n -u web sh -c 'a b'`,
		Su:   `exec su -s /bin/sh -c 'exec sh -c '\''a b'\''' web`,
	} {
		if got := (User{Name: "web", Method: method}).Line("sh", "-c", "a b"); got != want {
			t.Errorf("%q: got  %s\nwant %s", method, got, want)
		}
	}
	if got := (User{Method: Su}).Line("sh"); got != "exec sh" {
		t.Errorf("no user to become: got %s", got)
	}
}
