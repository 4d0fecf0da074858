package size

import "testing"

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1KiB": 1024, "512MiB": 512 << 20, "25GiB": 25 << 30, "2TiB": 2 << 40,
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseRefusesWhatIsNoSize(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "25", "GiB", "25GB", "0GiB", "-1GiB", "1.5GiB", "9000000TiB", " 1GiB"} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("Parse(%q) gave no error", text)
			continue
		}
		if want := wrong(text).Error(); err.Error() != want {
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
