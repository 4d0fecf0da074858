package dotnet

import (
	"math"
	"time"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func timeTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.DateTime", Aliases: []string{"datetime"}, New: static("DateTime", 1, 7, newDate),
			Statics: statics{
				"Parse": static("Parse", 1, 1, parseDate),
				"FromFileTimeUtc": static("FromFileTimeUtc", 1, 1, func(c call) (any, error) {
					return value.FromTicks(c.num64(0)+fileTimeEpoch, value.UTC), nil
				}),
				"SpecifyKind": static("SpecifyKind", 2, 2, specifyKind),
			},
			Values: statics{
				"Now":      static("Now", 0, 0, func(c call) (any, error) { return now(c), nil }),
				"UtcNow":   static("UtcNow", 0, 0, func(c call) (any, error) { return now(c).Universal(), nil }),
				"Today":    static("Today", 0, 0, func(c call) (any, error) { return midnight(now(c)), nil }),
				"MinValue": constant(value.FromTicks(0, value.Unspecified)),
			},
			Methods: dateMethods(), Properties: dateProperties(),
		},
		{Name: "System.DateTimeKind", Enum: enum("System.DateTimeKind", "Unspecified", "Utc", "Local")},
		{Name: "System.DayOfWeek", Enum: enum("System.DayOfWeek", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")},
		{
			Name: "System.TimeSpan", Aliases: []string{"timespan"}, New: static("TimeSpan", 1, 5, newSpan),
			Statics: statics{
				"FromSeconds":      spanOf("FromSeconds", 1),
				"FromMinutes":      spanOf("FromMinutes", 60),
				"FromHours":        spanOf("FromHours", 3600),
				"FromDays":         spanOf("FromDays", 86400),
				"FromMilliseconds": spanOf("FromMilliseconds", 0.001),
				"Parse":            static("Parse", 1, 1, func(c call) (any, error) { return value.ParseSpan(c.str(0)) }),
			},
			Values:     statics{"Zero": constant(value.TimeSpan(0)), "MaxValue": constant(value.TimeSpan(math.MaxInt64))},
			Properties: spanProperties(),
		},
		{
			Name: "System.Diagnostics.Stopwatch",
			Statics: statics{
				"StartNew": static("StartNew", 0, 0, stopwatch),
				// The machine's counter does not follow its clock.
				"GetTimestamp": static("GetTimestamp", 0, 0, func(call) (any, error) { return time.Now().UnixNano() / 100, nil }),
			},
			Values: statics{"Frequency": constant(int64(1e7))},
		},
	}
}

// fileTimeEpoch are the ticks of the year 1601, from which file times count.
const fileTimeEpoch = 504911232000000000

func now(c call) value.DateTime { return value.DateTime{T: c.s.Now(), Kind: value.LocalTime} }

func midnight(d value.DateTime) value.DateTime {
	year, month, day := d.T.Date()
	return value.DateTime{T: time.Date(year, month, day, 0, 0, 0, 0, d.T.Location()), Kind: d.Kind}
}

func newDate(c call) (any, error) {
	if len(c.args) > 1 && len(c.args) < 3 || len(c.args) == 4 || len(c.args) == 5 {
		return nil, noOverload("new", len(c.args))
	}
	if len(c.args) < 3 {
		return value.FromTicks(c.num64(0), value.Unspecified), nil
	}
	parts := [6]int{}
	kind := value.Unspecified
	for i := range c.args {
		if i == 6 {
			if _, isKind := value.Base(c.args[6]).(value.Enum); !isKind {
				return nil, unknown.New("a seventh argument of [datetime] that is no DateTimeKind")
			}
			e, err := c.s.Convert(c.ctx, c.args[6], "System.DateTimeKind")
			if err != nil {
				return nil, err
			}
			kind = int(e.(value.Enum).Number)
			break
		}
		parts[i] = c.num(i)
	}
	t := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], 0, time.UTC)
	if t.Year() != parts[0] || int(t.Month()) != parts[1] || t.Day() != parts[2] || t.Hour() != parts[3] {
		return nil, value.NewException("System.ArgumentOutOfRangeException", "Year, Month, and Day parameters describe an un-representable DateTime.")
	}
	return inKind(c, t, kind), nil
}

// inKind is what a clock shows as a date of a kind.
func inKind(c call, t time.Time, kind int) value.DateTime {
	if kind == value.LocalTime {
		t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), c.s.Now().Location())
	}
	return value.DateTime{T: t, Kind: kind}
}

func specifyKind(c call) (any, error) {
	d, ok := value.Base(c.args[0]).(value.DateTime)
	e, err := c.s.Convert(c.ctx, c.args[1], "System.DateTimeKind")
	if err != nil || !ok {
		return nil, err
	}
	kind := int(e.(value.Enum).Number)
	t := time.Date(d.T.Year(), d.T.Month(), d.T.Day(), d.T.Hour(), d.T.Minute(), d.T.Second(), d.T.Nanosecond(), time.UTC)
	return inKind(c, t, kind), nil
}

func parseDate(c call) (any, error) {
	if d, ok := value.ParseDate(c.str(0), c.s.Now().Location()); ok {
		return d, nil
	}
	return nil, unknown.New("the date %q", c.str(0))
}

func date(c call) value.DateTime { return c.self.(value.DateTime) }

func dateMethods() methods {
	add := func(name string, seconds float64) interp.InstanceFunc {
		return method(name, 1, 1, func(c call) (any, error) { return date(c).Add(value.FromSeconds(c.real(0) * seconds)), nil })
	}
	return methods{
		"AddSeconds":      add("AddSeconds", 1),
		"AddMinutes":      add("AddMinutes", 60),
		"AddHours":        add("AddHours", 3600),
		"AddDays":         add("AddDays", 86400),
		"AddMilliseconds": add("AddMilliseconds", 0.001),
		"AddYears": method("AddYears", 1, 1, func(c call) (any, error) {
			return value.DateTime{T: date(c).T.AddDate(c.num(0), 0, 0), Kind: date(c).Kind}, nil
		}),
		"AddTicks": method("AddTicks", 1, 1, func(c call) (any, error) { return date(c).Add(value.TimeSpan(c.num64(0))), nil }),
		"Add": method("Add", 1, 1, func(c call) (any, error) {
			span, ok := value.Base(c.args[0]).(value.TimeSpan)
			if !ok {
				return nil, unknown.New("DateTime.Add of a %s", value.TypeName(c.args[0]))
			}
			return date(c).Add(span), nil
		}),
		"Subtract": method("Subtract", 1, 1, func(c call) (any, error) { return value.Arithmetic("-", date(c), c.args[0]) }),
		"ToUniversalTime": method("ToUniversalTime", 0, 0, func(c call) (any, error) {
			d := date(c)
			if d.Kind == value.Unspecified {
				d = inKind(c, d.T, value.LocalTime)
			}
			return d.Universal(), nil
		}),
		"ToLocalTime": method("ToLocalTime", 0, 0, func(c call) (any, error) {
			return value.DateTime{T: date(c).T.In(c.s.Now().Location()), Kind: value.LocalTime}, nil
		}),
		"ToFileTimeUtc": method("ToFileTimeUtc", 0, 0, func(c call) (any, error) {
			return date(c).Universal().Ticks() - fileTimeEpoch, nil
		}),
	}
}

func dateProperties() methods {
	field := func(get func(t time.Time) int) interp.InstanceFunc {
		return property(func(d value.DateTime) any { return int32(get(d.T)) })
	}
	kinds := value.Of("System.DateTimeKind", "Unspecified", "Utc", "Local")
	days := value.Of("System.DayOfWeek", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
	return methods{
		"Year":        field(time.Time.Year),
		"Month":       field(func(t time.Time) int { return int(t.Month()) }),
		"Day":         field(time.Time.Day),
		"Hour":        field(time.Time.Hour),
		"Minute":      field(time.Time.Minute),
		"Second":      field(time.Time.Second),
		"Millisecond": field(func(t time.Time) int { return t.Nanosecond() / 1e6 }),
		"DayOfYear":   field(time.Time.YearDay),
		"DayOfWeek":   property(func(d value.DateTime) any { return days.Values[d.T.Weekday()] }),
		"Ticks":       property(func(d value.DateTime) any { return d.Ticks() }),
		"Kind":        property(func(d value.DateTime) any { return kinds.Values[d.Kind] }),
		"Date":        property(func(d value.DateTime) any { return midnight(d) }),
		"TimeOfDay":   property(func(d value.DateTime) any { return value.TimeSpan(d.Ticks() - midnight(d).Ticks()) }),
	}
}

func spanOf(name string, seconds float64) interp.Func {
	return static(name, 1, 1, func(c call) (any, error) { return value.FromSeconds(c.real(0) * seconds), nil })
}

func newSpan(c call) (any, error) {
	if len(c.args) == 1 {
		return value.TimeSpan(c.num64(0)), nil
	}
	if len(c.args) == 2 {
		return nil, value.NewException("System.Management.Automation.MethodException", `Cannot find an overload for "TimeSpan" and the argument count: "2".`)
	}
	args := make([]int64, 0, 5)
	for i := range c.args {
		args = append(args, c.num64(i))
	}
	if len(args) == 3 {
		args = append([]int64{0}, args...)
	}
	if len(args) == 4 {
		args = append(args, 0)
	}
	ms := (((args[0]*24+args[1])*60+args[2])*60+args[3])*1000 + args[4]
	return value.TimeSpan(ms * 10000), nil
}

func spanProperties() methods {
	total := func(ticks float64) interp.InstanceFunc {
		return property(func(s value.TimeSpan) any { return float64(s) / ticks })
	}
	field := func(ticks, most int64) interp.InstanceFunc {
		return property(func(s value.TimeSpan) any { return int32(int64(s) / ticks % most) })
	}
	return methods{
		"TotalMilliseconds": total(1e4),
		"TotalSeconds":      total(1e7),
		"TotalMinutes":      total(60e7),
		"TotalHours":        total(3600e7),
		"TotalDays":         total(86400e7),
		"Milliseconds":      field(1e4, 1000),
		"Seconds":           field(1e7, 60),
		"Minutes":           field(60e7, 60),
		"Hours":             field(3600e7, 24),
		"Days":              field(86400e7, math.MaxInt32),
		"Ticks":             property(func(s value.TimeSpan) any { return int64(s) }),
	}
}

// stopwatch measures by the machine's clock.
func stopwatch(c call) (any, error) {
	s := c.s
	start := s.Now()
	var stopped *time.Duration
	elapsed := func() time.Duration {
		if stopped != nil {
			return *stopped
		}
		return s.Now().Sub(start)
	}
	o := value.NewObject("System.Diagnostics.Stopwatch",
		computed("Elapsed", func() any { return value.Span(elapsed()) }),
		computed("ElapsedMilliseconds", func() any { return elapsed().Milliseconds() }),
		computed("IsRunning", func() any { return stopped == nil }))
	bind(o, "Stop", method("Stop", 0, 0, func(call) (any, error) {
		d := elapsed()
		stopped = &d
		return value.Void{}, nil
	}))
	bind(o, "Restart", method("Restart", 0, 0, func(call) (any, error) {
		start, stopped = s.Now(), nil
		return value.Void{}, nil
	}))
	return o, nil
}
