package schedule

import (
	"fmt"
	"strings"
)

// Calendars returns the schedule as the OnCalendar= lines of a systemd timer, see
// systemd.time(7). There are two if cron joins days of the month and of the week by
// "or", which one line cannot express.
func (s *Schedule) Calendars() []string {
	dom, dow := list(s.spec.Dom, 1, 31), weekdays(s.spec.Dow)
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

func orAny(list string) string {
	if list == "" {
		return "*"
	}
	return list
}

// weekdays names the days of the week that are set; empty when all are.
func weekdays(bits uint64) string {
	var set []string
	for i, name := range []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"} {
		if bits&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	if len(set) == 7 {
		return ""
	}
	return strings.Join(set, ",")
}
