package spec

import (
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Tags with a meaning of their own: a task with the first is done whatever tags are asked for,
// and one with the second only if one of its tags is.
const (
	TagAlways = "always"
	TagNever  = "never"
)

// The words of --tags and --skip-tags that are no tags.
const (
	AllTags  = "all"
	Tagged   = "tagged"
	Untagged = "untagged"
)

// tagName matches the names of tags, which can stand in lists on the command line.
var tagName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// tags reads the argument tags: a text or a list of texts.
func (l *loader) tags(expr hcl.Expression) []string {
	all := l.texts(expr)
	for _, tag := range all {
		switch {
		case slices.Contains([]string{AllTags, Tagged, Untagged}, tag):
			l.Errorf(expr.Range(), "Invalid tag", "%q is no tag: --tags %s has a meaning of its own. Choose another word.", tag, tag)
		case !tagName.MatchString(tag):
			l.Errorf(expr.Range(), "Invalid tag", "%q is no tag: it has letters, digits, _, -, . and : only. For several tags write a list, as in: tags = [\"web\", \"config\"]", tag)
		}
	}
	return all
}

// texts reads a text or a list of texts that is written out.
func (l *loader) texts(expr hcl.Expression) []string {
	if expr == nil {
		return nil
	}
	var one string
	if value, problems := expr.Value(nil); !problems.HasErrors() && value.Type() == cty.String {
		l.literal(expr, &one)
		return []string{one}
	}
	var all []string
	l.literal(expr, &all)
	return all
}

func union(first, more []string) []string {
	all := slices.Clone(first)
	for _, tag := range more {
		if !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}
