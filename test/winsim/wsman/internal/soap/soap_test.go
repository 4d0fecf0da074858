package soap

import (
	"strings"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"PT60S":      time.Minute,
		"PT60.000S":  time.Minute,
		"PT0.5S":     500 * time.Millisecond,
		"P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second,
		" PT20S ":    20 * time.Second,
		"PT0S":       0,
	} {
		if got, ok := ParseDuration(text); !ok || got != want {
			t.Errorf("%q is %s, %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "P", "PT", "60", "PT-1S", "-PT1S", "P1Y", "P1M", "PT1.S", "P99999999999D"} {
		if got, ok := ParseDuration(text); ok {
			t.Errorf("%q is accepted as %s", text, got)
		}
	}
	if got := FormatDuration(90500 * time.Millisecond); got != "PT90.500S" {
		t.Errorf("formatted %s", got)
	}
}

func TestEveryFaultHasACodeAndBothLanguages(t *testing.T) {
	t.Parallel()
	for kind, form := range kinds() {
		if kind > 0 && form.code == 0 || form.value == "" || form.reason.english == "" || form.reason.german == "" {
			t.Errorf("kind %d is incomplete: %+v", kind, form)
		}
		if (form.message.english == "") != (form.message.german == "") {
			t.Errorf("kind %d has its message in one language only", kind)
		}
		for _, language := range []string{"en-US", "de-DE"} {
			if text := string(NewFault(Kind(kind), uint32(7)).Encode("", language, "WIN")); strings.Contains(text, "%!") {
				t.Errorf("kind %d in %s: %s", kind, language, text)
			}
		}
	}
}

func TestAFaultIsFoundByItsCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[uint32]string{
		2150858843: "w:InvalidSelectors", 2150859174: "w:QuotaLimit", 995: "w:InternalError", 4711: "w:InternalError",
	} {
		fault := FaultOf(code)
		text := string(fault.Encode("uuid:1", "en-US", "WIN"))
		if fault.Code() != code || !strings.Contains(text, "<s:Value>"+want+"</s:Value>") {
			t.Errorf("%d: %s", code, text)
		}
	}
}
