package reference

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// sample has one of everything.
func sample() Module {
	return Module{
		Name: "walk", Summary: "Walks a way", Text: "Walks a way, with many words in between.\n\n\tcode\n  - item",
		Arguments: []Argument{
			{Name: "path", Type: "string", Required: true, Text: "The way."},
			{Name: "part", Type: "block", Repeated: true, Text: "Parts.", Arguments: []Argument{
				{Name: "size", Type: "string", Secret: true, Default: `"1"`, Text: "In <b>."},
			}},
		},
		Outputs: []Output{{Name: "done", Type: "bool", Text: "Whether"}}, Errors: []string{"it is far"},
		Example: "task \"walk\" \"x\" {\n\n  path = \"/\"\n}\n",
	}
}

func TestManual(t *testing.T) {
	t.Parallel()
	want := `walk

  Walks a way, with
  many words in
  between.

  	code
    - item

Arguments:
  path  string, required
      The way.
  part  block, repeated
      Parts.
      size  string, secret, default "1"
          In <b>.

Outputs:
  done  bool
      Whether

Errors:
  - it is far

Example:
  task "walk" "x" {

    path = "/"
  }
`
	if got := sample().Manual(20); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	got := Markdown([]Module{sample()})
	for _, want := range []string{
		"- [walk](#walk): Walks a way\n",
		"\n## walk\n\nWalks a way, with many words in between.\n\n\tcode\n- item\n",
		"- `part` (block, repeated): Parts.\n  - `size` (string, secret, default \"1\"): In \\<b>.\n",
		"- `done` (bool): Whether\n", "### Errors\n\n- it is far\n",
		"```hcl\ntask \"walk\" \"x\" {\n\n  path = \"/\"\n}\n```\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
}

func TestTableAlignsSummaries(t *testing.T) {
	t.Parallel()
	got := strings.Join(Table([]Module{{Name: "a", Summary: "One"}, {Name: "long", Summary: "Two"}}), "\n")
	if want := "a     One\nlong  Two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnknownModuleIsNotThere(t *testing.T) {
	t.Parallel()
	if _, err := Of("no_such_module"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
}
