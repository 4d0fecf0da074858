package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/runlog"
	"kinit/test/golden"
	"kinit/test/replaytest"
)

func logs() map[string]*runlog.Run {
	died := replaytest.Failure()
	died.Summary, died.Events = nil, died.Events[:8]
	return map[string]*runlog.Run{"success": replaytest.Success(), "failure": replaytest.Failure(), "died": died}
}

// TestGolden compares with the files in testdata. With KINIT_UPDATE set it rewrites
// them.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, log := range logs() {
		var got bytes.Buffer
		if err := Write(&got, replay.Of(log)); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("testdata", name+".xml"), got.String())
	}
}

func TestWhatAnotherHostHasToldIsToldInShort(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Write(&out, replay.Of(replaytest.SameFailure())); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if n := strings.Count(text, "configuration test failed"); n != 2 { // the text of the failure, and standard error
		t.Errorf("the output is there %d times, want it twice, both for one case:\n%s", n, text)
	}
	if n := strings.Count(text, "<failure "); n != 2 {
		t.Errorf("%d failures, want one a host", n)
	}
	if want := "The same as task.command.reload[&#34;web1&#34;] on web1.</failure>"; strings.Count(text, want) != 1 {
		t.Errorf("it lacks %q:\n%s", want, text)
	}
}

// shape is what an element may have: its attributes, those with ! in any case, and
// its children.
type shape struct{ attributes, children []string }

// shapes are the elements of the schema that Jenkins' xUnit plugin publishes for
// JUnit (junit-10.xsd), as far as kinit writes them.
func shapes() map[string]shape {
	why := shape{attributes: []string{"message", "type"}}
	return map[string]shape{
		"testsuites": {[]string{"name", "time", "tests", "failures", "errors"}, []string{"testsuite"}},
		"testsuite":  {[]string{"name!", "tests!", "failures!", "errors!", "time", "skipped", "timestamp"}, []string{"properties", "testcase"}},
		"properties": {nil, []string{"property"}},
		"property":   {[]string{"name!", "value!"}, nil},
		"testcase":   {[]string{"name!", "classname!", "time"}, []string{"skipped", "error", "failure", "system-out", "system-err"}},
		"skipped":    why, "error": why, "failure": why, "system-out": {}, "system-err": {},
	}
}

func TestCISystemsCanReadIt(t *testing.T) {
	t.Parallel()
	all := logs()
	all["large"] = replaytest.Large(5000)
	for name, log := range all {
		var out bytes.Buffer
		if err := Write(&out, replay.Of(log)); err != nil {
			t.Fatal(err)
		}
		if err := check(out.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// check holds a document to the shapes and to its own counts.
func check(document []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(document))
	var open []xml.StartElement
	count := map[string]int{}
	names := map[string]bool{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			parent := ""
			if len(open) > 0 {
				parent = open[len(open)-1].Name.Local
			}
			if err := checkElement(parent, token); err != nil {
				return err
			}
			if key := attribute(token, "classname") + " " + attribute(token, "name"); token.Name.Local == "testcase" && names[key] {
				return fmt.Errorf("two cases are %s", key)
			} else {
				names[key] = true
			}
			count[token.Name.Local]++
			open = append(open, token.Copy())
		case xml.EndElement:
			if err := checkCounts(open[len(open)-1], count); err != nil {
				return err
			}
			open = open[:len(open)-1]
		}
	}
}

func checkElement(parent string, e xml.StartElement) error {
	s, known := shapes()[e.Name.Local]
	if !known || parent == "" && e.Name.Local != "testsuites" || parent != "" && !slices.Contains(shapes()[parent].children, e.Name.Local) {
		return fmt.Errorf("%s may not be in %q", e.Name.Local, parent)
	}
	for _, a := range e.Attr {
		if !slices.Contains(s.attributes, a.Name.Local) && !slices.Contains(s.attributes, a.Name.Local+"!") {
			return fmt.Errorf("%s may not have %s", e.Name.Local, a.Name.Local)
		}
		if format := map[string]string{"time": `^\d+\.\d{3}$`, "tests": `^\d+$`, "timestamp": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`}[a.Name.Local]; !regexp.MustCompile(format).MatchString(a.Value) {
			return fmt.Errorf("%s of %s is %q", a.Name.Local, e.Name.Local, a.Value)
		}
	}
	for _, name := range s.attributes {
		if required, ok := strings.CutSuffix(name, "!"); ok && attribute(e, required) == "" {
			return fmt.Errorf("%s needs %s", e.Name.Local, required)
		}
	}
	return nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// checkCounts compares what the root says with what was in it.
func checkCounts(e xml.StartElement, count map[string]int) error {
	if e.Name.Local != "testsuites" {
		return nil
	}
	for name, element := range map[string]string{"tests": "testcase", "failures": "failure", "errors": "error"} {
		if said, _ := strconv.Atoi(attribute(e, name)); said != count[element] {
			return fmt.Errorf("it says %d %s and has %d", said, name, count[element])
		}
	}
	return nil
}
