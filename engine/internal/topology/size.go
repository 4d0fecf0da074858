package topology

import (
	"fmt"
	"math/big"
	"regexp"
)

// Size is a number of bytes and its text.
type Size struct {
	Text  string // such as "4GiB"
	Bytes int64
}

var sizeText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([KMGT]i?)?B$`)

// ParseSize reads a size such as "512MiB", "1.5GiB" or "20GB".
func ParseSize(text string) (Size, error) {
	parts := sizeText.FindStringSubmatch(text)
	if parts == nil {
		return Size{}, fmt.Errorf("%q is not a number with a unit such as MiB, GiB or GB", text)
	}
	number, _ := new(big.Rat).SetString(parts[1])
	number.Mul(number, new(big.Rat).SetInt64(unit(parts[2])))
	if !number.IsInt() || !number.Num().IsInt64() || number.Sign() == 0 {
		return Size{}, fmt.Errorf("%q is no whole number of bytes above 0", text)
	}
	return Size{Text: text, Bytes: number.Num().Int64()}, nil
}

// unit returns the number of bytes of a prefix: Ki is 1024, K is 1000.
func unit(prefix string) int64 {
	power := map[string]int{"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
	base, letter := int64(1000), prefix
	if len(prefix) == 2 {
		base, letter = 1024, prefix[:1]
	}
	bytes := int64(1)
	for range power[letter] {
		bytes *= base
	}
	return bytes
}
