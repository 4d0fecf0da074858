package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// forms lists the ways a secret may appear in text.
func forms(value string) []string {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" {
		return nil
	}
	twice := base64.StdEncoding.EncodeToString([]byte(trimmed))
	return slices.Concat(
		inBase64(value), inBase64(trimmed), insideBase64(trimmed), insideBase64(wide(trimmed)), insideBase64(twice),
		inDigits(value), inDigits(trimmed), inURLs(trimmed), inMarkup(trimmed), inShells(trimmed),
		[]string{
			value, trimmed, wide(trimmed), wideBig(trimmed), strings.ToUpper(trimmed), strings.ToLower(trimmed),
			strings.ReplaceAll(trimmed, "\n", `\n`),
			inJSON(trimmed, false), inJSON(trimmed, true), inHCL(trimmed), inside(strconv.Quote(trimmed)), inside(strconv.QuoteToASCII(trimmed)),
		}, longLines(trimmed))
}

// inBase64 lists the alphabets of RFC 4648, with padding and without.
func inBase64(value string) []string {
	return []string{
		base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
}

// leastInside is the least length of a piece of base64 that is masked: that of the
// shortest secret.
const leastInside = 6

// insideBase64 lists how a value looks inside the base64 of a longer text: three
// bytes make four letters, so there are three ways. Letters that depend on the
// bytes around the value are left out.
func insideBase64(value string) []string {
	var all []string
	for before := range 3 {
		text := strings.Repeat("\x00", before) + value
		from, to := (before*8+5)/6, len(text)*8/6
		if to-from < leastInside {
			continue
		}
		all = append(all, base64.StdEncoding.EncodeToString([]byte(text))[from:to], base64.URLEncoding.EncodeToString([]byte(text))[from:to])
	}
	return all
}

// wide is a text in UTF-16 with the low byte first, as PowerShell takes it in base64.
func wide(text string) string { return inUTF16(text, binary.LittleEndian) }

// wideBig is a text in UTF-16 with the high byte first.
func wideBig(text string) string { return inUTF16(text, binary.BigEndian) }

func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// inDigits lists what programs that show bytes print.
func inDigits(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	letters := base32.StdEncoding.EncodeToString([]byte(value))
	return []string{digits, strings.ToUpper(digits), letters, strings.TrimRight(letters, "=")}
}

// inURLs lists how the parts of a URL have it, and URLs in which all is escaped but
// letters and digits.
func inURLs(value string) []string {
	query, path := url.QueryEscape(value), url.PathEscape(value)
	var all strings.Builder
	for i := range len(value) {
		if c := value[i]; isAlphanumeric(c) {
			all.WriteByte(c)
		} else {
			fmt.Fprintf(&all, "%%%02X", c)
		}
	}
	forms := []string{
		query, path, url.User(value).String(), url.UserPassword("", value).String()[1:],
		strings.ReplaceAll(query, "+", "%20"), all.String(), component(value),
	}
	for _, form := range forms {
		forms = append(forms, lowerEscapes(form))
	}
	return forms
}

// component is what encodeURIComponent of ECMAScript makes of a text.
func component(value string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(url.QueryEscape(value))
}

// lowerEscapes is a URL whose escapes have small letters.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

// inMarkup lists how HTML, XML and YAML have it.
func inMarkup(value string) []string {
	short := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	return []string{
		html.EscapeString(value), short.Replace(value),
		strings.NewReplacer(`"`, "&quot;", "'", "&#39;").Replace(short.Replace(value)),
		strings.NewReplacer(`"`, "&quot;", "'", "&apos;").Replace(short.Replace(value)),
		strings.NewReplacer(`"`, "&quot;", "'", "&#x27;").Replace(short.Replace(value)),
		strings.NewReplacer(`"`, "&quot;").Replace(short.Replace(value)),
		strings.ReplaceAll(value, "'", "''"),
	}
}

// inShells lists how it stands in quotes of shells, and in a trace of theirs.
func inShells(value string) []string {
	var trace, word strings.Builder
	for i := range len(value) {
		c := value[i]
		switch {
		case c == '\'' || c == '\\':
			trace.WriteString(`\` + string(c))
		case c == '\n':
			trace.WriteString(`\n`)
		case c == '\t':
			trace.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&trace, `\%03o`, c)
		default:
			trace.WriteByte(c)
		}
		if c < 0x80 && !strings.ContainsRune("%+-./:=@_,", rune(c)) && !isAlphanumeric(c) {
			word.WriteByte('\\')
		}
		word.WriteByte(c)
	}
	return []string{
		strings.ReplaceAll(value, "'", `'\''`), strings.ReplaceAll(value, "'", `'"'"'`),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value),
		strings.NewReplacer("`", "``", `"`, "`\"", "$", "`$").Replace(value),
		trace.String(), word.String(), strings.NewReplacer("%", "%%").Replace(word.String()),
	}
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// inHCL is the inside of a quoted text in HCL.
func inHCL(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "${", "$${", "%{", "%%{").Replace(value)
}

// inside is a quoted text without its quotes.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// inJSON is the inside of a JSON string. Go escapes <, > and & unless set not to;
// others do not.
func inJSON(value string, html bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(html)
	if encoder.Encode(value) != nil {
		return "" // a string can always be encoded
	}
	return inside(strings.TrimSpace(b.String()))
}

// longLines returns the lines of a multi-line secret that are worth masking on
// their own; the armour around a key is no secret.
func longLines(value string) []string {
	if !strings.Contains(value, "\n") {
		return nil
	}
	var lines []string
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		if len(line) >= 16 && !strings.HasPrefix(line, "-----") {
			lines = append(lines, line)
		}
	}
	return lines
}
