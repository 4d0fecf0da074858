//go:build !race

package eval

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
)

// meant is what cannot be meant, and a part of what is said of it.
type meant struct{ text, want string }

func cannotBeMeant() []meant {
	return []meant{
		{`range(1000000000)`, "more than 1024 values were generated"},
		{`[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]]`, "These for expressions take 1000000000 rounds together, and at most 1000000 can be meant."},
		{`{for a in range(1000) : a => {for b in range(1000) : b => join("", [for c in range(100) : "x"])}}`, "take 100000000 rounds"},
		{`"%{for a in range(1000)}%{for b in range(1000)}%{for c in range(1000)}x%{endfor}%{endfor}%{endfor}"`, "take 1000000000 rounds"},
		{`[for a in range(1000) : [for b in range(a) : [for c in range(b) : c]]]`, "take more than 1000000 rounds"},
		{`[for a in [[], range(1000)] : [for b in a : [for c in range(1000) : [for d in range(10) : d]]]]`, "take more than 1000000 rounds"},
		{`"%{for a in range(1000)}${big}%{endfor}"`, "loops make texts of more than 16 MiB"},
		{`"%{for a in range(1000)}${a == 0 ? "" : big}%{endfor}"`, "loops make texts of more than 16 MiB"},
		{`[for a in range(1000) : "%{for b in range(1000)}${big}%{endfor}"]`, "loops make texts of more than 16 MiB"},
		{`[for a in range(1000) : "${big}${a}"]`, "loops make texts of more than 16 MiB"},
		{`length([for a in range(1000) : upper("${big}${a}")])`, "loops make texts of more than 16 MiB"},
		{`{for a in range(1000) : a => [a == 0 ? "" : "${big}${a}"]}`, "loops make texts of more than 16 MiB"},
		{`templatefile("loop.tmpl", { big = big })`, "loops make texts of more than 16 MiB"},
		{`templatefile("rounds.tmpl", {})`, "take 1000000000 rounds"},
		{`setproduct(range(1000), range(1000), range(1000))`, "more than 1000000 combinations"},
		{`format("%1000000000d", 1)`, "the width of \"%1000000000\" is more than 65536"},
		{`format("%.1000000000f", 1)`, "the width of"},
		{`formatlist("%900000s", ["a"])`, "the width of"},
		{`format(replace("xxxxxxxxxxxxxxxxxxxx", "x", "%[1]s"), big)`, "this makes a text of up to"},
		{`formatlist(big, range(1000))`, "this makes a text of up to"},
		{`join(big, range(1000))`, "this makes a text of up to 953 MiB"},
		{`join("", [for i in range(1000) : big])`, "this makes a text of up to"},
		{`replace(big, "x", big)`, "this makes a text of up to"},
		{`replace(big, "/x/", big)`, "this makes a text of up to"},
		{`replace(big, "/(.*)/", join("", [for i in range(1000) : "$1"]))`, "this makes a text of up to"},
		{`indent(1000000000, "a\nb")`, "more than 65536 spaces cannot be meant"},
		{`indent(60000, replace(big, "x", "\n"))`, "this makes a text of up to"},
		{`split("", big2)`, "more than 1000000 cannot be meant"},
		{`regexall("x", big2)`, "it is found more than 1000000 times"},
		{`regex(big, "x")`, "a regular expression of more than 64 KiB cannot be meant"},
		{`regexall("(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y(x+x+)+y", big16)`, "a search for an expression of"},
		{`jsonencode([for i in range(1000) : big])`, "the texts of the value have more than 16 MiB"},
		{`jsonencode([for i in range(1024) : many])`, "the value has more than 1000000 elements"},
		{`yamlencode([for i in range(1024) : many])`, "the value has more than 1000000 elements"},
		{`flatten([for i in range(1024) : many])`, "the value has more than 1000000 elements"},
		{`concat([for i in range(1024) : many]...)`, "more than 1000000 elements"},
		{`jsondecode(replace(big, "x", "["))`, "more than 1000 values in each other cannot be meant"},
		{`yamldecode(replace(big, "x", "["))`, "more than 1000 values in each other cannot be meant"},
		{`jsondecode("[${replace(big2, "x", "0,")}0]")`, "more than 1000000 values cannot be meant"},
		{`jsondecode("[1e999999999]")`, "an exponent of five digits or more cannot be meant"},
		{`yamldecode("a: 1e999999999")`, "an exponent of five digits or more cannot be meant"},
		{`tonumber("1e999999999")`, "an exponent of five digits or more cannot be meant"},
		{`parseint(big, 36)`, "a number of more than 16384 digits cannot be meant"},
		{`pow(10, 300) * pow(10, 300) * huge`, "a number of the value has more than 16384 binary digits"},
		{`"${huge}"`, "a number of the value has more than 16384 binary digits"},
		{`yamldecode(laughs)`, "cannot be meant"},
		{`file("/dev/zero")`, "no regular file"},
		{`file("sparse")`, "has more than 16 MiB, and no such value can be meant"},
		{`filebase64("sparse")`, "has more than 16 MiB, and no such value can be meant"},
		{`"${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}"`, "This cannot be meant: the texts of the value have more than 16 MiB"},
	}
}

// inBounds is the variable of the environment that makes this test the program that is
// measured, with the folder it works in.
const inBounds = "KINIT_TEST_BOUNDS"

// most is how much memory evaluating one of them may take, in bytes. What they refer to is
// in it.
const most = 256 << 20

// What cannot be meant is an error with its place, at once, and takes no memory. What counts
// is the time of the processor, because the machine may be busy.
func TestWhatCannotBeMeantIsAnError(t *testing.T) {
	dir := os.Getenv(inBounds)
	if dir == "" {
		t.Parallel()
		dir = t.TempDir()
		write := func(name, text string, size int64) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if size > 0 {
				if err := os.Truncate(path, size); err != nil {
					t.Fatal(err)
				}
			}
		}
		write("loop.tmpl", "%{for a in range(1000)}${big}%{endfor}", 0)
		write("rounds.tmpl", "%{for a in range(1000)}%{for b in range(1000)}%{for c in range(1000)}x%{endfor}%{endfor}%{endfor}", 0)
		write("sparse", "", 10<<30)
		child := exec.Command(os.Args[0], "-test.run=^TestWhatCannotBeMeantIsAnError$", "-test.timeout=5m")
		child.Env = append(os.Environ(), "GOGC=100", inBounds+"="+dir)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%.20000s", err, out)
		}
		return
	}
	ctx := boundedScope(dir)
	for _, test := range cannotBeMeant() {
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // resets the peak
			t.Fatal(err)
		}
		began := worked(t)
		expr, problems := hclsyntax.ParseExpression([]byte(test.text), "x.hcl", hcl.InitialPos)
		if problems.HasErrors() {
			t.Fatal(test.text, problems)
		}
		bounds.Limit(expr)
		_, problems = bounds.Value(expr, ctx)
		took := worked(t) - began
		if took > 4*time.Second {
			t.Errorf("%s: it took %s", test.text, took)
		}
		if !problems.HasErrors() {
			t.Errorf("%s: it is no error", test.text)
			continue
		}
		if p := problems[0]; p.Subject == nil || p.Subject.Filename != "x.hcl" || !strings.Contains(p.Detail, test.want) {
			t.Errorf("%s: at %v: %.500s", test.text, p.Subject, p.Detail)
		}
		if now := peak(t); now > most {
			t.Errorf("%s: %d MiB were taken at most", test.text, now>>20)
		}
	}
}

// worked is how long processors have worked for this process.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// peak is how much of the memory of this process was resident at most, in bytes.
func peak(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		t.Fatal("the kernel does not say how much memory there was")
	}
	kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
