// Package schedule computes when a periodic job is due: a cron expression of five fields in a
// time zone. Only this package uses the library that parses such expressions.
package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // hosts without the zones' files, such as containers, know them all the same

	"github.com/robfig/cron/v3"
)

// Schedule is when a job is due.
type Schedule struct {
	Text string // the expression, such as "0 3 * * 0", or "@weekly"
	Zone string // an IANA name, such as Europe/Madrid; empty means the machine's own
	spec *cron.SpecSchedule
}

// Parse parses an expression: minute, hour, day of the month, month, day of the week (0 to
// 6 from Sunday, or names), or one of @hourly, @daily, @weekly, @monthly and @yearly. As
// in cron, if both kinds of days are given, a job is due when one of them matches.
func Parse(text, zone string) (*Schedule, error) {
	location := time.Local
	if zone != "" {
		var err error
		if location, err = time.LoadLocation(zone); err != nil {
			return nil, fmt.Errorf("there is no time zone %q; give a name such as Europe/Madrid or UTC", zone)
		}
	}
	if strings.Contains(text, "TZ=") {
		return nil, errors.New("the time zone is an argument of its own, time_zone")
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fmt.Errorf(`%w; give five fields, minute, hour, day, month and weekday, such as "0 3 * * 0" for Sundays at 03:00`, err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok { // @every 3h has no fixed time of day, and no other scheduler supports it
		return nil, fmt.Errorf(`%q counts from when it is started; give five fields, such as "0 */3 * * *"`, text)
	}
	spec.Location = location
	s := &Schedule{Text: text, Zone: zone, spec: spec}
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf("%q is never due", text)
	}
	return s, nil
}

// Next returns the first time after another at which the job is due. When summer time begins,
// a skipped time is left out; when it ends, a repeated time
// counts once, unless the job is due every hour.
func (s *Schedule) Next(after time.Time) time.Time {
	next := s.spec.Next(after)
	if list(s.spec.Hour, 0, 23) != "" && repeated(next.In(s.spec.Location)) {
		return s.Next(next)
	}
	return next
}

// repeated reports whether the clock showed the same time shortly before.
func repeated(t time.Time) bool {
	_, now := t.Zone()
	_, before := t.Add(-3 * time.Hour).Zone() // no change of the clock is larger
	if now >= before {
		return false
	}
	const clock = "2006-01-02 15:04"
	return t.Add(time.Duration(now-before)*time.Second).Format(clock) == t.Format(clock)
}

// Period returns the time between the next two due times after another time.
func (s *Schedule) Period(after time.Time) time.Duration {
	first := s.Next(after)
	return s.Next(first).Sub(first)
}

// Name returns the period's name: hourly, daily, weekly, monthly or yearly, by the usual
// time between two runs.
func (s *Schedule) Name() string {
	var gaps []time.Duration
	at := s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	for range 15 {
		next := s.Next(at)
		gaps, at = append(gaps, next.Sub(at)), next
	}
	slices.Sort(gaps)
	const day = 24 * time.Hour
	switch usual := gaps[len(gaps)/2]; {
	case usual < 20*time.Hour:
		return "hourly"
	case usual <= 36*time.Hour:
		return "daily"
	case usual <= 8*day:
		return "weekly"
	case usual <= 35*day:
		return "monthly"
	}
	return "yearly"
}

// Plain returns the expression in five fields of numbers, for schedulers that support neither
// names nor words with an @.
func (s *Schedule) Plain() string {
	return strings.Join([]string{
		orAny(list(s.spec.Minute, 0, 59)), orAny(list(s.spec.Hour, 0, 23)), orAny(list(s.spec.Dom, 1, 31)),
		orAny(list(s.spec.Month, 1, 12)), orAny(list(s.spec.Dow, 0, 6)),
	}, " ")
}

// star is the bit that the library sets where the expression has an asterisk.
const star = 1 << 63

// list lists the values that are set, with commas between; empty when all are.
func list(bits uint64, from, to int) string { return named(bits, from, to, strconv.Itoa) }

// named is list with the names of values.
func named(bits uint64, from, to int, name func(int) string) string {
	var set []string
	for n := from; n <= to; n++ {
		if bits&(1<<n) != 0 {
			set = append(set, name(n))
		}
	}
	if len(set) == to-from+1 {
		return ""
	}
	return strings.Join(set, ",")
}

// Calendars returns the schedule as the OnCalendar= lines of a systemd timer, see
// systemd.time(7). There are two if cron joins days of the month and of the week by
// "or", which one line cannot express.
func (s *Schedule) Calendars() []string {
	dom, dow := list(s.spec.Dom, 1, 31), named(s.spec.Dow, 0, 6, func(n int) string { return time.Weekday(n).String()[:3] })
	switch {
	case dom != "" && dow != "" && s.spec.Dom&star == 0 && s.spec.Dow&star == 0:
		return []string{s.calendar(dom, ""), s.calendar("", dow)}
	default:
		return []string{s.calendar(dom, dow)}
	}
}

func (s *Schedule) calendar(dom, dow string) string {
	text := fmt.Sprintf("*-%s-%s %s:%s:00", orAny(list(s.spec.Month, 1, 12)), orAny(dom),
		orAny(list(s.spec.Hour, 0, 23)), orAny(list(s.spec.Minute, 0, 59)))
	if dow != "" {
		text = dow + " " + text
	}
	if s.Zone != "" {
		text += " " + s.Zone
	}
	return text
}

func orAny(list string) string { return cmp.Or(list, "*") }
