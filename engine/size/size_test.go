package size

import (
	"fmt"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1KiB": 1024, "512MiB": 512 << 20, "25GiB": 25 << 30, "2TiB": 2 << 40, "4GiB": 4 << 30, "1TiB": 1 << 40,
		"1.5GiB": 3 << 29, "20GB": 20_000_000_000, "25GB": 25_000_000_000, "100 KB": 100_000, "7B": 7,
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseRefusesWhatIsNoSize(t *testing.T) {
	t.Parallel()
	const unit, whole = "not a number with a unit such as MiB, GiB or GB", "no whole number of bytes above 0"
	for text, why := range map[string]string{
		"": unit, "4": unit, "25": unit, "GiB": unit, "-1GiB": unit, "4gib": unit, "1.0001KB5": unit, " 1GiB": unit, "1iB": unit,
		"0GiB": whole, "0.3B": whole, "9000000TiB": whole, "99999999TiB": whole,
	} {
		_, err := Parse(text)
		if want := fmt.Sprintf("%q is %s", text, why); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", text, err, want)
		}
	}
}

func TestFormatShowsTheLargestWholeUnit(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{
		25 << 30: "25GiB", 1536 << 20: "1536MiB", 1 << 40: "1TiB", 1000: "1000 bytes", 2048: "2KiB",
	} {
		if got := Format(bytes); got != want {
			t.Errorf("Format(%d) = %s, want %s", bytes, got, want)
		}
	}
}
