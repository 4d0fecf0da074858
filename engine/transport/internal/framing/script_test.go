package framing

import (
	"bytes"
	"os/exec"
	"testing"
)

func TestCommandScript(t *testing.T) {
	cases := []struct {
		name  string
		fence string
		run   string
		last  int
		from  Input
		data  string
		want  string
	}{
		{"of a run, with a fence", "/locks/run.R", "R", 0, Nothing, "", `{
[ -L /locks/run.R ] || { printf NF; exit; }
printf NS; printf N >&4
(p=; for r in 1 2 3 4 5; do read -r p r </proc/self/stat && break; done; echo ${p:=0}; [ $p != 0 ] || exit; export KINIT_COMMAND=$p; exec setsid /bin/sh -c 'echo it'\''s' </dev/null 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
		{"the first, without input", "", "", 0, Nothing, "", `{
printf NS; printf N >&4
(p=; for r in 1 2 3 4 5; do read -r p r </proc/self/stat && break; done; echo ${p:=0}; [ $p != 0 ] || exit; exec setsid /bin/sh -c 'echo it'\''s' </dev/null 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
		{"after another, with a short input", "", "", 42, Data, "a'%\n", `{
kill -0 -42 && { printf NB; exit; }
printf NS; printf N >&4
printf 'a\047%%\012' | (p=; for r in 1 2 3 4 5; do read -r p r </proc/self/stat && break; done; echo ${p:=0}; [ $p != 0 ] || exit; exec setsid /bin/sh -c 'echo it'\''s' 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
		{"with the session's input", "", "", 0, Session, "", `{
printf NS; printf N >&4
(p=; for r in 1 2 3 4 5; do read -r p r </proc/self/stat && break; done; echo ${p:=0}; [ $p != 0 ] || exit; exec setsid /bin/sh -c 'echo it'\''s' 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := (Command{Nonce: "N", Shell: "/bin/sh", Line: "echo it's", Fence: c.fence, Run: c.run, Last: c.last, Input: c.from, Data: []byte(c.data)}).Script(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTheEnvironmentIsSetByTheRunner(t *testing.T) {
	want := `{
printf NS; printf N >&4
(p=; for r in 1 2 3 4 5; do read -r p r </proc/self/stat && break; done; echo ${p:=0}; [ $p != 0 ] || exit; export A='it'\''s'
export B=b
exec setsid /bin/sh -c env </dev/null 2>&4 4>&-)
printf 'N%s\n' $?; printf N >&4
}
`
	if got := (Command{Nonce: "N", Shell: "/bin/sh", Line: "env", Env: map[string]string{"B": "b", "A": "it's"}}).Script(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The bytes must come out of a real printf, of every shell there is here.
func TestPrintfFormat(t *testing.T) {
	every := make([]byte, 0, 3*256)
	for c := range 256 {
		every = append(every, byte(c), '7', byte(c))
	}
	for _, shell := range [][]string{{"sh"}, {"bash"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue
		}
		got, err := exec.Command(shell[0], append(shell[1:], "-c", "printf '"+printfFormat(every)+"'")...).Output()
		if !bytes.Equal(got, every) || err != nil {
			t.Errorf("%s: got %q, error %v", shell, got, err)
		}
	}
}
