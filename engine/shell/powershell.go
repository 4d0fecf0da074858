package shell

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// PowerShell returns the text as a string literal of PowerShell, which keeps every
// character. The text must be valid UTF-8.
//
// PowerShell ends a string in single quotes at any of its five single quotes, the
// typographic ones too (about_Quoting_Rules; in its tokenizer, IsSingleQuote), and reads
// two of them as one.
func PowerShell(text string) string {
	return "'" + singleQuotes.ReplaceAllString(text, "$0$0") + "'"
}

// PowerShellBlock returns code of PowerShell that runs a script as a script block of its own, which may begin with
// param or using as in a file. Code may precede it. The text must be valid UTF-8.
func PowerShellBlock(script string) string {
	return "& ([scriptblock]::Create([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('" +
		base64.StdEncoding.EncodeToString([]byte(script)) + "'))))"
}

var singleQuotes = regexp.MustCompile("['\u2018\u2019\u201a\u201b]")

// Windows returns arguments as the part of a command line after the program's name, from
// which CommandLineToArgvW and Microsoft's C runtime make exactly the same list. An empty
// list gives an empty text. Programs that split their command line in another way, of which
// cmd.exe is the best known, do not understand it.
func Windows(args ...string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = windowsWord(arg)
	}
	return strings.Join(quoted, " ")
}

// windowsWord quotes one argument if necessary. A backslash is itself unless a quote
// follows it: those before a quote, and so those at the end, are doubled ("Parsing C
// command-line arguments" in Microsoft's documentation of C).
func windowsWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\v\"") {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	backslashes := 0
	for i := range len(word) {
		switch c := word[i]; c {
		case '\\':
			backslashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*backslashes+1))
		default:
			b.WriteString(strings.Repeat(`\`, backslashes))
		}
		backslashes = 0
		b.WriteByte(word[i])
	}
	b.WriteString(strings.Repeat(`\`, 2*backslashes))
	b.WriteByte('"')
	return b.String()
}
