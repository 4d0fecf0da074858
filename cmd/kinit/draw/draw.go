// Package draw draws the dependencies of tasks: in the languages of
// graphviz and mermaid, and as SVG that needs neither.
//
// All pictures are made from one Picture: boxes in groups, with arrows from earlier
// to waiting tasks. fold.go makes a picture of a plan;
// nothing else here depends on tasks.
package draw

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

// Arrow goes from an earlier to a waiting box, by index. A Faint one repeats the order of the
// groups.
type Arrow struct {
	From, To int
	Faint    bool
}
