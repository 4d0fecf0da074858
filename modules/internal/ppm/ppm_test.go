package ppm

import (
	"image/color"
	"testing"
)

func TestPixelsAreReadRowByRow(t *testing.T) {
	t.Parallel()
	picture, err := Decode([]byte("P6\n# of a screen\n2 2\n255\n\xff\x00\x00\x00\xff\x00\x00\x00\xff \t\n"))
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[[2]int]color.RGBA{
		{0, 0}: {R: 255, A: 255}, {1, 0}: {G: 255, A: 255}, {0, 1}: {B: 255, A: 255}, {1, 1}: {R: ' ', G: '\t', B: '\n', A: 255},
	} {
		if got := picture.At(at[0], at[1]); got != want {
			t.Errorf("pixel %v is %v, want %v", at, got, want)
		}
	}
	if size := picture.Bounds().Size(); size.X != 2 || size.Y != 2 {
		t.Errorf("the picture has %v", size)
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                    `a picture begins with "", expected "P6"`,
		"P5\n1 1\n255\nx":     `a picture begins with "P5", expected "P6"`,
		"P6\n1 1\n65535\nxxx": "a picture of 1 × 1 pixels and 65535 colours: expected 8 bits a colour",
		"P6\n-1 1\n255\nxxx":  "a picture of -1 × 1 pixels and 255 colours: expected 8 bits a colour",
		"P6\n2 1\n255\nxxxxx": "a picture is cut off",
		"P6 1":                "a picture of -1 × -1 pixels and -1 colours: expected 8 bits a colour",
	} {
		if _, err := Decode([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
