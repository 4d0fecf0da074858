package event

import "strings"

// FirstLine returns the first line of a message or step, which sums it up. The other lines,
// such as a diff, are details.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// WithoutKeys returns the address of a task without the keys of instances and imports, such as
// import.web.task.copy.conf of import.web["shop"].task.copy.conf["web1"].
func WithoutKeys(address string) string {
	var plain strings.Builder
	quoted, inside := false, false
	for i := 0; i < len(address); i++ {
		switch c := address[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case !inside:
			plain.WriteByte(c)
		}
	}
	return plain.String()
}
