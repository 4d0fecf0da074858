package main

import (
	"go/doc/comment"
	"strings"
	"unicode"
	"unicode/utf8"
)

// taskDoc is the comment of a module's task, taken apart.
type taskDoc struct {
	text   string   // what is not the list
	errors []string // the list after "Errors:"
}

// parseDoc takes a type's comment apart. The paragraph "Errors:" with the list that
// follows it is the module's errors:
//
//	// Errors:
//	//   - the file is a folder
func parseDoc(name, text string) taskDoc {
	var out taskDoc
	var rest []comment.Block
	heading := false
	for _, block := range new(comment.Parser).Parse(text).Content {
		if list, ok := block.(*comment.List); ok && heading {
			for _, item := range list.Items {
				out.errors = append(out.errors, plain(item.Content...))
			}
			heading = false
			continue
		}
		p, ok := block.(*comment.Paragraph)
		if heading = ok && plain(p) == "Errors:"; !heading {
			rest = append(rest, block)
		}
	}
	out.text = meaning(name, plain(rest...))
	return out
}

// plain is a comment's text with a line for each paragraph.
func plain(blocks ...comment.Block) string {
	printer := &comment.Printer{TextWidth: -1}
	return strings.TrimSpace(string(printer.Text(&comment.Doc{Content: blocks})))
}

// meaning is a comment without the name it begins with, as comments in Go do:
// "Dest is the path." says "The path.".
func meaning(name, text string) string {
	if rest, ok := strings.CutPrefix(text, name+", "); ok {
		return capital(rest)
	}
	rest, ok := strings.CutPrefix(text, name+" ")
	if !ok {
		return capital(text)
	}
	for _, verb := range []string{"is ", "are "} {
		if after, ok := strings.CutPrefix(rest, verb); ok {
			return capital(after)
		}
	}
	return capital(rest)
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func (d taskDoc) summary() string {
	first, _, _ := strings.Cut(d.text, "\n")
	first, _, _ = strings.Cut(first, ". ")
	return strings.TrimSuffix(first, ".")
}

func plainText(text string) string {
	return plain(new(comment.Parser).Parse(text).Content...)
}
