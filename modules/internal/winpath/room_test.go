package winpath

import (
	"strings"
	"testing"
)

func TestTemporaryNameOfTheLongestPathFits(t *testing.T) {
	t.Parallel()
	folder := "C:/" + strings.Repeat("f", 244)
	for _, name := range []string{"x", "long name.txt"} {
		if got := Temporary(folder + "/" + name); len(got) > longest || !strings.HasPrefix(got, folder+"/~k") {
			t.Errorf("%s has %d characters", got, len(got))
		}
	}
	if Temporary("C:/a/X.txt") != Temporary("C:/a/x.txt") || Temporary("C:/a/x") == Temporary("C:/a/y") {
		t.Error("a temporary name is that of one file")
	}
}

func TestPathWithoutRoomForASuffixIsRefused(t *testing.T) {
	t.Parallel()
	fits := "C:/" + strings.Repeat("x", 251)
	if err := CheckRoom("dest", fits, ".part"); err != nil {
		t.Error(err)
	}
	const want = "dest has 255 characters, want at most 254: the file <name>.part is made beside it"
	if err := CheckRoom("dest", fits+"x", ".part"); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
