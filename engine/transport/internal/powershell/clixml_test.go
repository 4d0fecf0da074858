package powershell

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const objs = `<Objs Version="1.1.0.1" xmlns="http://schemas.microsoft.com/powershell/2004/04">`

// progress is what a first use of a module writes.
const progress = `<Obj S="progress" RefId="0"><TN RefId="0"><T>System.Management.Automation.PSCustomObject</T><T>System.Object</T></TN>` +
	`<MS><I64 N="SourceId">1</I64><PR N="Record"><AV>Preparing modules for first use.</AV><AI>0</AI><Nil /><PI>-1</PI><PC>-1</PC><T>Completed</T><SR>-1</SR><SD> </SD></PR></MS></Obj>`

func TestErrorsMakesTextOfCLIXML(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"plain text", "one\ntwo", "one\ntwo"},
		{"text that begins alike", "#<\n#< CLIX\n<Obj\n<Objsolete\n", "#<\n#< CLIX\n<Obj\n<Objsolete\n"},
		{"the header alone", "#< CLIXML\r\n", ""},
		{"an error of two lines", "#< CLIXML\r\n" + objs + `<S S="Error">boom_x000D__x000A_</S><S S="Error">At line:1 char:1_x000D__x000A_</S></Objs>`, "boom\nAt line:1 char:1\n"},
		{"progress says nothing", "#< CLIXML\r\n" + objs + progress + `</Objs>`, ""},
		{"other streams", objs + `<S S="warning">a</S><S S="verbose">b</S><S S="debug">c</S><S S="information">d</S></Objs>`, "WARNING: a\nVERBOSE: b\nDEBUG: c\nd\n"},
		{"an object with a text", objs + `<Obj S="Error" RefId="0"><ToString>it is broken</ToString><Props/></Obj></Objs>`, "it is broken\n"},
		{"text around it", "before\r\n#< CLIXML\r\nnative says\n" + objs + `<S S="Error">boom</S></Objs>` + "\r\nafter\n", "before\r\nnative says\nboom\nafter\n"},
		{"two documents", objs + `<S S="Error">a</S></Objs>` + objs + `<S S="Error">b</S></Objs>`, "a\nb\n"},
		{"characters XML does not know", objs + `<S S="Error">a_x001B_[1m_x005F_x_xD83D__xDE00_ &lt;b&gt; é</S></Objs>`, "a\x1b[1m_x😀 <b> é\n"},
		{"one that is damaged", objs + `<S S="Error">a</Objs>`, objs + `<S S="Error">a</Objs>`},
		{"one that does not end", objs + `<S S="Error">a</S>`, objs + `<S S="Error">a</S>`},
		{"in the middle of a line it is text", "x #< CLIXML\ny <Objs z\n", "x #< CLIXML\ny <Objs z\n"},
		{"bytes that are no text", "\xff\x00\n", "\xff\x00\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 7, 1 << 20} {
				if diff := cmp.Diff(c.want, filtered(t, c.text, size)); diff != "" {
					t.Errorf("%d at once: %s", size, diff)
				}
			}
		})
	}
}

// TestErrorsReadsWhatAPowerShellWrites has the standard error of PowerShell 7.6 for Windows from a pipe: progress,
// a warning, verbose, debug, information, Write-Host, an error that did not end the script and one that did.
func TestErrorsReadsWhatAPowerShellWrites(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/powershell-7.clixml")
	if err != nil {
		t.Fatal(err)
	}
	const colors = "\x1b\\[[0-9;]*m" // PowerShell 7 writes them, 5.1 does not
	want := "WARNING: w < & €\nVERBOSE: v _x0041_\nDEBUG: d\ni\nh1\n" +
		"Write-Error: \nLine |\n  29 |  & ([scriptblock]::Create($kinitText))\n     |  ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n     | e1\n" +
		"At line:1 char:388\n+ … inue; Write-Progress -Activity 'copy' -Completed; throw 'boom < & 😀'\n" +
		"+                                                     ~~~~~~~~~~~~~~~~~~~\nboom < & 😀\n"
	for size := 1; size <= len(text); size++ { // so the first piece ends everywhere
		got := regexp.MustCompile(colors).ReplaceAllString(filtered(t, string(text), size), "")
		if got != want {
			t.Fatalf("%d at once: %q, want %q", size, got, want)
		}
	}
}

func filtered(t *testing.T, text string, size int) string {
	t.Helper()
	var to bytes.Buffer
	errs := NewErrors(&to)
	write(t, errs, text, size)
	if err := errs.Close(); err != nil {
		t.Fatal(err)
	}
	return to.String()
}

func TestErrorsPassesTextOnAtOnce(t *testing.T) {
	t.Parallel()
	var to bytes.Buffer
	errs := NewErrors(&to)
	write(t, errs, "no line end yet", 1000)
	if to.String() != "no line end yet" {
		t.Errorf("%q was passed on", to.String())
	}
}

func TestErrorsGivesUpOnAnEndlessDocument(t *testing.T) {
	t.Parallel()
	text := objs + strings.Repeat("x", largestBlock+10)
	if got := filtered(t, text, 1<<20); got != text {
		t.Errorf("%d bytes of %d were passed on", len(got), len(text))
	}
}

func FuzzErrorsLosesNoText(f *testing.F) {
	f.Add("a\n#< CLIXML\r\n", 3)
	f.Add("#<Objs <Objs \n", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 {
			return
		}
		got := filtered(t, text, size)
		if got != filtered(t, text, 1<<20) {
			t.Error("the size of the pieces makes a difference")
		}
		if !strings.Contains(text, "<Objs ") && !strings.Contains(text, "#< CLIXML") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// write writes a text in pieces.
func write(t *testing.T, to interface{ Write([]byte) (int, error) }, text string, size int) {
	t.Helper()
	for len(text) > 0 {
		n := min(size, len(text))
		if got, err := to.Write([]byte(text[:n])); err != nil || got != n {
			t.Fatalf("write: %d, %v", got, err)
		}
		text = text[n:]
	}
}
