package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text, zone string) *Schedule {
	t.Helper()
	s, err := Parse(text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNextIsInTheTimeZone(t *testing.T) {
	t.Parallel()
	sunday := parse(t, "0 3 * * 0", "Europe/Madrid")
	from := time.Date(2025, 3, 20, 12, 0, 0, 0, time.UTC)
	var got []string
	for range 3 { // summer time begins on 30 March at 02:00
		from = sunday.Next(from)
		got = append(got, from.UTC().Format(time.RFC3339))
	}
	if diff := cmp.Diff([]string{"2025-03-23T02:00:00Z", "2025-03-30T01:00:00Z", "2025-04-06T01:00:00Z"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestATimeThatTheClockRepeatsIsDueOnce(t *testing.T) {
	t.Parallel()
	daily := parse(t, "30 2 * * *", "Europe/Madrid")
	from := time.Date(2025, 10, 25, 12, 0, 0, 0, time.UTC)
	first := daily.Next(from)
	second := daily.Next(first)
	if got := second.UTC().Format(time.RFC3339); got != "2025-10-27T01:30:00Z" {
		t.Errorf("after %s it is due at %s", first.UTC(), got)
	}
	hourly := parse(t, "30 * * * *", "Europe/Madrid")
	if got := hourly.Next(first); got.Sub(first) != time.Hour {
		t.Errorf("every hour: after %s it is due at %s", first.UTC(), got.UTC())
	}
}

func TestNameIsWhatIsUsual(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0 * * * *": "hourly", "0 */6 * * *": "hourly", "0 3 * * *": "daily", "@daily": "daily", "0 3 * * 1-5": "daily",
		"0 3 * * 0": "weekly", "@weekly": "weekly", "0 3 1 * *": "monthly", "0 3 1 1 *": "yearly", "0 3 29 2 *": "yearly",
	} {
		if got := parse(t, text, "UTC").Name(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestOtherSchedulersGetTheSameTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, zone, plain string
		calendars         []string
	}{
		{"0 3 * * 0", "Europe/Madrid", "0 3 * * 0", []string{"Sun *-*-* 3:0:00 Europe/Madrid"}},
		{"*/20 4-6 * jan,jul mon-wed", "", "0,20,40 4,5,6 * 1,7 1,2,3", []string{"Mon,Tue,Wed *-1,7-* 4,5,6:0,20,40:00"}},
		{"0 3 1 * mon", "UTC", "0 3 1 * 1", []string{"*-*-1 3:0:00 UTC", "Mon *-*-* 3:0:00 UTC"}},
		{"@hourly", "UTC", "0 * * * *", []string{"*-*-* *:0:00 UTC"}},
	} {
		s := parse(t, c.text, c.zone)
		if got := s.Plain(); got != c.plain {
			t.Errorf("%s: got %s, want %s", c.text, got, c.plain)
		}
		if diff := cmp.Diff(c.calendars, s.Calendars()); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

func TestWhatIsNoScheduleIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, zone, want string }{
		{"0 3 * *", "", "give five fields"},
		{"0 25 * * *", "", "above maximum (23)"},
		{"@every 3h", "", `give five fields, such as "0 */3 * * *"`},
		{"CRON_TZ=UTC 0 3 * * *", "", "time_zone"},
		{"0 3 30 2 *", "", "is never due"},
		{"0 3 * * *", "Europe/Madird", `there is no time zone "Europe/Madird"`},
	} {
		if _, err := Parse(c.text, c.zone); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestPeriodIsUntilTheTimeAfter(t *testing.T) {
	t.Parallel()
	if got := parse(t, "0 3 * * 0", "UTC").Period(time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)); got != 7*24*time.Hour {
		t.Errorf("got %s", got)
	}
}
