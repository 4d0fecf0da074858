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
			Statics: statics{},
			Values: statics{
				"Now":      static("Now", 0, 0, func(c call) (any, error) { return now(c), nil }),
				"UtcNow":   static("UtcNow", 0, 0, func(c call) (any, error) { return now(c).Universal(), nil }),
				"MinValue": constant(value.FromTicks(0, value.Unspecified)),
			},
			Methods: dateMethods(), Properties: dateProperties(),
		},
		{Name: "System.DateTimeKind", Enum: enum("System.DateTimeKind", "Unspecified", "Utc", "Local")},
		{Name: "System.DayOfWeek", Enum: enum("System.DayOfWeek", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")},
		{
			Name: "System.TimeSpan", Aliases: []string{"timespan"},
			Statics: statics{
				"FromSeconds":      spanOf("FromSeconds", 1),
				"FromMinutes":      spanOf("FromMinutes", 60),
				"FromHours":        spanOf("FromHours", 3600),
				"FromDays":         spanOf("FromDays", 86400),
				"FromMilliseconds": spanOf("FromMilliseconds", 0.001),
			},
			Values:     statics{"Zero": constant(value.TimeSpan(0)), "MaxValue": constant(value.TimeSpan(math.MaxInt64))},
			Properties: spanProperties(),
		},
		{
			Name: "System.Diagnostics.Stopwatch",
			Statics: statics{
				// The machine's counter does not follow its clock.
				"GetTimestamp": static("GetTimestamp", 0, 0, func(call) (any, error) { return time.Now().UnixNano() / 100, nil }),
			},
			Values: statics{"Frequency": constant(int64(1e7))},
		},
	}
}

func now(c call) value.DateTime { return value.DateTime{T: c.s.Now(), Kind: value.LocalTime} }

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
		"ToUniversalTime": method("ToUniversalTime", 0, 0, func(c call) (any, error) {
			d := date(c)
			if d.Kind == value.Unspecified {
				d = inKind(c, d.T, value.LocalTime)
			}
			return d.Universal(), nil
		}),
	}
}

func dateProperties() methods {
	field := func(get func(t time.Time) int) interp.InstanceFunc {
		return property(func(d value.DateTime) any { return int32(get(d.T)) })
	}
	return methods{
		"Year":      field(time.Time.Year),
		"Month":     field(func(t time.Time) int { return int(t.Month()) }),
		"Day":       field(time.Time.Day),
		"Hour":      field(time.Time.Hour),
		"Minute":    field(time.Time.Minute),
		"Second":    field(time.Time.Second),
		"DayOfYear": field(time.Time.YearDay),
		"Ticks":     property(func(d value.DateTime) any { return d.Ticks() }),
	}
}

func spanOf(name string, seconds float64) interp.Func {
	return static(name, 1, 1, func(c call) (any, error) { return value.FromSeconds(c.real(0) * seconds), nil })
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
	}
}
