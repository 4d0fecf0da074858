package winerr

import (
	_ "embed"
	"strconv"
	"strings"
)

type message struct{ english, german string }

// messages are the codes and the system's messages, in English and German: what FormatMessage gives.
//
//go:embed texts.txt
var messages string

func texts() map[Code]message {
	all := map[Code]message{}
	for line := range strings.Lines(messages) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if code, err := strconv.Atoi(words[0]); err == nil {
			all[Code(code)] = message{words[1], words[2]}
		}
	}
	return all
}
