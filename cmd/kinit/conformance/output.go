package conformance

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// output reads what ginkgo writes with -v and without colours. A test ends in a block
// between two delimiters:
//
//	------------------------------
//	• [FAILED] [3.210 seconds]
//	[sig-node] Pods [It] should run [Conformance] [sig-node, Conformance]
//	…
//	  [FAILED] what went wrong
//	  In [It] at: file.go:12 @ 11/22/26 13:00:00.123
//	------------------------------
//
// With one process the name comes when the test begins, then what it says, then the line
// that says how it ended, and the name again only if it did not pass.
type output struct {
	names   []string // of the tests that are planned
	ended   func(Test)
	problem func(string) // the suite itself failed

	block []string // the lines since a delimiter
	began string   // the name of the last block that had one
}

// maxBlock is how many lines of a block are kept: a test that never ends to talk must not
// fill the memory. The end of a block, where the failure stands, is always kept.
const maxBlock = 20000

const delimiter = "------------------------------"

// line takes the next line.
func (o *output) line(text string) {
	text = strings.TrimRight(text, "\r\n")
	if text != delimiter {
		o.block = append(o.block, text)
		if len(o.block) > maxBlock {
			o.block = append(o.block[:2:2], o.block[len(o.block)-maxBlock/2:]...)
		}
		return
	}
	o.end()
	o.block = o.block[:0]
}

// What blocks are made of.
var (
	// header is how a test ended: what it was, how it ended, how long it took.
	header = regexp.MustCompile(`^(•|\+|S|P|R|\[[A-Za-z]+\])(?: PASSED)?(?: \[([A-Z! ]+)\])?(?: \[.*\])?(?: \[([0-9.]+) seconds\])$`)
	// kinds is what ginkgo puts into the name of a test that failed.
	kinds = regexp.MustCompile(`(?:TOP-LEVEL )?\[(?:It|(?:Just)?BeforeEach|(?:Just)?AfterEach|BeforeAll|AfterAll|DeferCleanup \((?:Each|All)\))\] ?`)
	// words is how a message begins.
	words = regexp.MustCompile(`^  \[(?:FAILED|PANICKED|TIMEDOUT|INTERRUPTED|ABORTED|SKIPPED)\] ?`)
)

// interrupted is how ginkgo begins its report of a test that was at work when it was ended.
const interrupted = "An interrupt occurred"

func newOutput(names []string, ended func(Test), problem func(string)) *output {
	return &output{names: names, ended: ended, problem: problem}
}

// end looks at a block that is complete.
func (o *output) end() {
	if len(o.block) == 0 {
		return
	}
	if name := o.name(o.block[0]); name != "" {
		o.began = name
	}
	for i, text := range o.block {
		if match := header.FindStringSubmatch(text); match != nil {
			o.take(match, o.block[i+1:])
			return
		}
	}
}

// take makes a test of its header and the lines after that.
func (o *output) take(match, after []string) {
	state := stateOf(match[1], match[2])
	if strings.HasPrefix(match[1], "[") { // a step of the whole suite
		if state == Failed {
			o.problem(strings.Trim(match[1], "[]") + ": " + o.message(after).Error)
		}
		return
	}
	name := o.began
	if len(after) > 0 {
		if said := o.name(after[0]); said != "" {
			name = said
		}
	}
	if name == "" {
		return
	}
	test := Test{Name: name, State: state}
	if state != Passed {
		test = o.message(after)
		test.Name, test.State = name, state
		if strings.HasPrefix(test.Error, interrupted) {
			test.State = NotRun
		}
	}
	if n, err := strconv.ParseFloat(match[3], 64); err == nil {
		test.Took = time.Duration(n * float64(time.Second))
	}
	o.ended(test)
}

func stateOf(mark, word string) State {
	switch {
	case mark == "S" || mark == "P":
		return Skipped
	case word == "" || strings.HasPrefix(word, "FLAKEY"):
		return Passed
	case word == "INTERRUPTED" || word == "ABORTED":
		return NotRun
	}
	return Failed
}

// name is the planned test that a line names. The line has the kind of the node that
// failed in it, and the test's labels after it.
func (o *output) name(line string) string {
	line = strings.TrimSpace(kinds.ReplaceAllString(line, ""))
	found := ""
	for _, name := range o.names {
		if (line == name || strings.HasPrefix(line, name+" [")) && len(name) > len(found) {
			found = name
		}
	}
	return found
}

// message is what a test said of its failure, or of why it does not apply: the last lines
// that begin with a state in brackets.
func (o *output) message(lines []string) Test {
	start := -1
	for i, text := range lines {
		if words.MatchString(text) && !strings.Contains(text, "] in [") {
			start = i
		}
	}
	if start < 0 {
		return Test{Error: "it gave no reason", Detail: tail(lines, 40)}
	}
	var said []string
	for _, text := range lines[start:] {
		if strings.HasPrefix(text, "  In [") {
			break
		}
		said = append(said, strings.TrimPrefix(text, "  "))
	}
	said[0] = words.ReplaceAllString("  "+said[0], "")
	return Test{Error: telling(said), Detail: strings.TrimSpace(strings.Join(said, "\n"))}
}

// telling is the first line that says something: not that an error was unexpected, and not
// of which Go type it is.
func telling(lines []string) string {
	first := ""
	for _, text := range lines {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if first == "" {
			first = text
		}
		if !strings.HasSuffix(text, ":") && !strings.HasPrefix(text, "<") {
			if first != text && !strings.HasPrefix(first, "Unexpected error") {
				return first + " " + text
			}
			return text
		}
	}
	return first
}

func tail(lines []string, n int) string {
	return strings.TrimSpace(strings.Join(lines[max(0, len(lines)-n):], "\n"))
}
