package module

// NotOwnedError is the error about an object that exists and is not the owner's. The engine adds whose it is, if a mark on the
// host says so.
type NotOwnedError struct {
	ID     string   // as in the mark that its owner would have of it
	Kinds  []string // of such a mark; any kind without one
	Text   string   // which object does not belong to which owner
	Advice string   // what to do about it
	Whose  string   // follows Text, such as " but by shop"; empty if it is not known
}

func (e *NotOwnedError) Error() string { return e.Text + e.Whose + ": " + e.Advice }
