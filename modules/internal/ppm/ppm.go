// Package ppm reads pictures in the format that QEMU takes of a guest's screen: binary
// portable pixmaps with 8 bits a colour (netpbm's ppm(5), "P6").
package ppm

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strconv"
)

// maxSide is more than any screen has, in pixels: what claims more is no picture.
const maxSide = 1 << 15

// Decode reads one picture.
func Decode(data []byte) (image.Image, error) {
	h := header{rest: data}
	if magic := h.word(); magic != "P6" {
		return nil, fmt.Errorf("a picture begins with %q, expected \"P6\"", magic)
	}
	width, height, colours := h.number(), h.number(), h.number()
	if colours != 255 || width < 1 || height < 1 || width > maxSide || height > maxSide {
		return nil, fmt.Errorf("a picture of %d × %d pixels and %d colours: expected 8 bits a colour", width, height, colours)
	}
	if len(h.rest) < width*height*3 {
		return nil, errors.New("a picture is cut off")
	}
	return pixels(width, height, h.rest), nil
}

func pixels(width, height int, data []byte) image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		p := data[3*i:]
		picture.SetRGBA(i%width, i/width, color.RGBA{R: p[0], G: p[1], B: p[2], A: 255})
	}
	return picture
}

// space is the white space of the format.
const space = " \t\n\v\f\r"

// header reads words that white space ends, one character of it each. Comments are passed over.
type header struct{ rest []byte }

func (h *header) word() string {
	h.rest = bytes.TrimLeft(h.rest, space)
	for bytes.HasPrefix(h.rest, []byte("#")) {
		_, h.rest, _ = bytes.Cut(h.rest, []byte("\n"))
		h.rest = bytes.TrimLeft(h.rest, space)
	}
	end := bytes.IndexAny(h.rest, space)
	if end < 0 {
		return ""
	}
	word := string(h.rest[:end])
	h.rest = h.rest[end+1:]
	return word
}

// number is a word of decimal digits, or -1.
func (h *header) number() int {
	n, err := strconv.Atoi(h.word())
	if err != nil {
		return -1
	}
	return n
}
