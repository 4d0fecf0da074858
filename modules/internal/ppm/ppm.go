// Package ppm reads pictures in the format that QEMU takes of a guest's screen: binary
// portable pixmaps with 8 bits a colour (netpbm's ppm(5), "P6").
package ppm

import (
	"errors"
	"fmt"
	"image"
	"image/color"
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

// header reads words that white space ends, one character of it each.
type header struct{ rest []byte }

func (h *header) word() string {
	h.skip()
	for i, c := range h.rest {
		if isSpace(c) {
			word := string(h.rest[:i])
			h.rest = h.rest[i+1:]
			return word
		}
	}
	return ""
}

// skip passes over white space and comments before a word.
func (h *header) skip() {
	comment := false
	for len(h.rest) > 0 && (comment || isSpace(h.rest[0]) || h.rest[0] == '#') {
		comment = (comment || h.rest[0] == '#') && h.rest[0] != '\n'
		h.rest = h.rest[1:]
	}
}

// number is a word of decimal digits, or -1.
func (h *header) number() int {
	word, n := h.word(), 0
	for _, c := range word {
		if c < '0' || c > '9' || n > maxSide {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	if word == "" {
		return -1
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
