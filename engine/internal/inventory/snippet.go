package inventory

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// withoutSecrets returns the text of an inventory as messages show it: what looks like the value of a secret is masked
// where it stands. A search for the value would not find it if it is spelled with escapes, or is very short. All other
// bytes keep their places, to which messages point.
func withoutSecrets(name string, text []byte) []byte {
	shown := slices.Clone(text)
	for _, at := range assignments(text) {
		if !IsSecret(string(text[at[4]:at[5]])) {
			continue
		}
		first := text[at[6]:min(at[6]+1, at[7])]
		if path.Ext(name) == ".hcl" && !bytes.ContainsAny(first, `"<`) {
			continue // an expression
		}
		if bytes.HasPrefix(text[at[6]:], []byte("!vault")) {
			continue // encrypted
		}
		begin := bytes.LastIndexByte(text[:at[4]], '\n') + 1
		before := text[begin:at[4]]
		end := endOfValue(text, at[7], strings.Trim(string(before), " \t-\"'") == "")
		cover(shown[at[6]:end])
		line, after, _ := strings.Cut(string(text[at[6]:]), "\n")
		if heredocForm.MatchString(line) || blockForm.MatchString(line) {
			from := min(at[6]+len(line)+1, len(text))
			cover(shown[from : from+len(further(line, after, len(before)-len(bytes.TrimLeft(before, " "))))])
		}
	}
	for _, at := range keyForm.FindAllIndex(text, -1) {
		cover(shown[at[0]:at[1]])
	}
	for _, at := range sshPassForm.FindAllSubmatchIndex(text, -1) {
		cover(shown[at[2]:at[3]])
	}
	return shown
}

// assignments returns the places of what looks like an assignment, as assignmentForm matches it, also within the value
// of another assignment.
func assignments(text []byte) [][]int {
	var all [][]int
	for from := 0; ; {
		at := assignmentForm.FindSubmatchIndex(text[from:])
		if at == nil {
			return all
		}
		for i := range at {
			at[i] += from
		}
		all = append(all, at)
		from = max(at[6], from+1)
	}
}

// endOfValue returns where a value ends: with its line if its name begins the line, else before the next space.
func endOfValue(text []byte, from int, alone bool) int {
	end := " \t\r\n"
	if alone {
		end = "\r\n"
	}
	if i := bytes.IndexAny(text[from:], end); i >= 0 {
		return from + i
	}
	return len(text)
}

// cover replaces a text by the mask, and keeps its length and its lines.
func cover(text []byte) {
	for i, b := range text {
		switch {
		case b == '\n' || b == '\r':
		case i < len(mask):
			text[i] = '*'
		default:
			text[i] = ' '
		}
	}
}
