package value

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kinit/test/winsim/powershell/unknown"
)

// Kinds of DateTime, in the order of System.DateTimeKind.
const (
	Unspecified = iota
	UTC
	LocalTime
)

// DateTime is a System.DateTime. T is the moment, in the zone of the machine for
// LocalTime; its clock is shown whatever the kind.
type DateTime struct {
	T    time.Time
	Kind int
}

// ticksPerSecond is how many units of 100 ns a second has.
const ticksPerSecond = int64(time.Second / 100)

// epochTicks are the ticks from the year 1 to 1970.
const epochTicks = 621355968000000000

// Ticks are the units of 100 ns that the clock shows since the year 1.
func (d DateTime) Ticks() int64 {
	_, offset := d.T.Zone()
	return epochTicks + (d.T.Unix()+int64(offset))*ticksPerSecond + int64(d.T.Nanosecond()/100)
}

// Add is the moment a time later, in ticks.
func (d DateTime) Add(s TimeSpan) DateTime {
	t := d.T.Add(time.Duration(int64(s)/ticksPerSecond) * time.Second).Add(time.Duration(int64(s)%ticksPerSecond*100) * time.Nanosecond)
	return DateTime{T: t, Kind: d.Kind}
}

// Universal is the moment in UTC.
func (d DateTime) Universal() DateTime { return DateTime{T: d.T.UTC(), Kind: UTC} }

// Invariant is the text in the invariant culture: 11/21/2026 15:52:15.
func (d DateTime) Invariant() string { return d.T.Format("01/02/2006 15:04:05") }

// Local is the text in the culture en-US: 11/21/2026 3:52:15 PM.
func (d DateTime) Local() string { return d.T.Format("1/2/2006 3:04:05 PM") }

// Format is the text in a standard or custom format of .NET.
func (d DateTime) Format(format string) (string, error) {
	switch format {
	case "", "G":
		return d.Local(), nil
	case "o", "O":
		format = "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffK"
	case "s":
		format = "yyyy'-'MM'-'dd'T'HH':'mm':'ss"
	case "u":
		format = "yyyy'-'MM'-'dd HH':'mm':'ss'Z'"
	case "r", "R":
		format = "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'"
	}
	if len(format) == 1 {
		return "", unknown.New("the format %q of dates", format)
	}
	var out strings.Builder
	for len(format) > 0 {
		text, n, err := d.piece(format)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		format = format[n:]
	}
	return out.String(), nil
}

// piece is the text of the first part of a format, and the length of that part.
func (d DateTime) piece(format string) (string, int, error) {
	c := format[0]
	if c == '\'' || c == '"' {
		end := strings.IndexByte(format[1:], c)
		if end < 0 {
			return "", 0, NewException("System.FormatException", "Input string was not in a correct format.")
		}
		return format[1 : 1+end], end + 2, nil
	}
	if c == '\\' && len(format) > 1 {
		return format[1:2], 2, nil
	}
	if strings.IndexByte("dfFghHKmMstyz%", c) < 0 {
		return format[:1], 1, nil
	}
	n := len(format) - len(strings.TrimLeft(format, string(c)))
	if c == 'f' || c == 'F' {
		return d.fraction(c, n), n, nil
	}
	if c == 'K' && n == 1 {
		return d.zoneMark(), n, nil
	}
	layouts := map[string]string{
		"yyyy": "2006", "yy": "06", "MMMM": "January", "MMM": "Jan", "MM": "01", "M": "1", "dddd": "Monday", "ddd": "Mon",
		"dd": "02", "d": "2", "HH": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05", "s": "5", "tt": "PM",
		"zzz": "-07:00", "zz": "-07",
	}
	if format[:n] == "H" {
		return strconv.Itoa(d.T.Hour()), n, nil
	}
	layout, ok := layouts[format[:n]]
	if !ok {
		return "", 0, unknown.New("the format %q of dates", format[:n])
	}
	return d.T.Format(layout), n, nil
}

func (d DateTime) fraction(c byte, n int) string {
	digits := fmt.Sprintf("%07d", d.T.Nanosecond()/100)
	digits = digits[:min(n, len(digits))]
	if c == 'F' {
		digits = strings.TrimRight(digits, "0")
	}
	return digits
}

func (d DateTime) zoneMark() string {
	switch d.Kind {
	case UTC:
		return "Z"
	case LocalTime:
		return d.T.Format("-07:00")
	}
	return ""
}

func dateArithmetic(op string, a DateTime, right any) (any, error) {
	switch b := right.(type) {
	case TimeSpan:
		if op == "+" {
			return a.Add(b), nil
		}
		if op == "-" {
			return a.Add(-b), nil
		}
	case DateTime:
		if op == "-" {
			return TimeSpan(a.Ticks() - b.Ticks()), nil
		}
	}
	return nil, unknown.New("%s between System.DateTime and %s", op, TypeName(right))
}

// parseLayouts are the forms of dates that casts take, and the kind that they give.
func parseLayouts() []string {
	return []string{
		"2006-01-02T15:04:05.9999999", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
		"01/02/2006 15:04:05", "1/2/2006 3:04:05 PM", "1/2/2006 15:04:05", "1/2/2006",
	}
}

// ParseDate is text as a date, as .NET parses it where the machine's zone is the given.
// Text with a zone gives a local time.
func ParseDate(text string, zone *time.Location) (DateTime, bool) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse("2006-01-02T15:04:05.9999999Z07:00", text); err == nil {
		return DateTime{T: t.In(zone), Kind: LocalTime}, true
	}
	for _, layout := range parseLayouts() {
		if t, err := time.Parse(layout, text); err == nil {
			return DateTime{T: t, Kind: Unspecified}, true
		}
	}
	return DateTime{}, false
}

func convertDate(v any) (any, error) {
	switch d := Base(v).(type) {
	case DateTime:
		return d, nil
	case string:
		if date, ok := ParseDate(d, time.UTC); ok && date.Kind == Unspecified {
			return date, nil
		}
		return nil, unknown.New("the date %q", d)
	}
	if n, ok := Integer(Base(v)); ok {
		return FromTicks(n, Unspecified), nil
	}
	return nil, cannot(v, "System.DateTime")
}

// FromTicks is the date of a number of ticks.
func FromTicks(ticks int64, kind int) DateTime {
	ticks -= epochTicks
	return DateTime{T: time.Unix(ticks/ticksPerSecond, ticks%ticksPerSecond*100).UTC(), Kind: kind}
}
