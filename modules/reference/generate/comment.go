package main

import (
	"fmt"
	"go/doc/comment"
	"strings"
	"unicode"
	"unicode/utf8"
)

// taskDoc is the comment of a module's task, taken apart.
type taskDoc struct {
	text    string            // what is not one of the lists
	outputs map[string]string // the list after "Outputs:"
	errors  []string          // the list after "Errors:"
}

// parseDoc takes a type's comment apart. The paragraphs "Outputs:" and "Errors:",
// each followed by a list, are the module's outputs and errors:
//
//	// Outputs:
//	//   - path: where the file is
func parseDoc(name, text string) (taskDoc, error) {
	doc := new(comment.Parser).Parse(text)
	out := taskDoc{outputs: map[string]string{}}
	var rest []comment.Block
	heading := ""
	for _, block := range doc.Content {
		list, isList := block.(*comment.List)
		if isList && heading != "" {
			if err := out.take(heading, list); err != nil {
				return out, err
			}
			heading = ""
			continue
		}
		heading = headingOf(block)
		if heading == "" {
			rest = append(rest, block)
		}
	}
	out.text = meaning(name, plain(rest...))
	return out, nil
}

// headingOf is the text of a paragraph that announces one of the lists.
func headingOf(block comment.Block) string {
	p, ok := block.(*comment.Paragraph)
	if !ok {
		return ""
	}
	if text := plain(p); text == "Outputs:" || text == "Errors:" {
		return text
	}
	return ""
}

func (d *taskDoc) take(heading string, list *comment.List) error {
	for _, item := range list.Items {
		text := plain(item.Content...)
		if heading == "Errors:" {
			d.errors = append(d.errors, text)
			continue
		}
		name, meaning, ok := strings.Cut(text, ": ")
		if !ok {
			return fmt.Errorf("its comment lists the output %q, want a name, a colon and a meaning", text)
		}
		d.outputs[name] = capital(meaning)
	}
	return nil
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

// capital makes the first letter a capital.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// summary is the first sentence.
func (d taskDoc) summary() string {
	first, _, _ := strings.Cut(d.text, "\n")
	first, _, _ = strings.Cut(first, ". ")
	return strings.TrimSuffix(first, ".")
}

// plainText is the text of a field's comment.
func plainText(text string) string {
	return plain(new(comment.Parser).Parse(text).Content...)
}
