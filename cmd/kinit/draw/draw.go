// Package draw shows which tasks wait for which as a picture: in the languages of
// graphviz and mermaid, and as SVG that needs neither.
//
// All pictures are made of one Picture: boxes in groups, with arrows from what is
// done first to what waits for it. How a picture is made of a plan is in fold.go,
// and nothing here knows tasks beyond that.
package draw

import "fmt"

// Picture is boxes in groups, and the arrows between them.
type Picture struct {
	Title  string
	Groups []Group
	Boxes  []Box   // in the order of their groups
	Arrows []Arrow // between boxes
	Order  []Arrow // between groups
}

// Group is a frame around boxes, such as a stage. The first lines of pictures are
// groups without a name, which have no frame.
type Group struct {
	Name string
}

// Box is a task, or several that were folded into one.
type Box struct {
	Label string // first line
	Note  string // second line: where, or how often
	Tip   string // what a pointer over it shows
	Faint bool   // it is not done
	Group int    // index in Groups
}

// Arrow goes from what is done first to what waits for it, by index. One that is
// Faint says what the order of the groups says already.
type Arrow struct {
	From, To int
	Faint    bool
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
