package event

// Problem is a diagnostic: the problem, its place and its reason.
type Problem struct {
	Severity string   `json:"severity"` // "error" or "warning"
	Summary  string   `json:"summary"`
	Detail   string   `json:"detail,omitempty"`
	Address  string   `json:"address,omitempty"`
	Host     string   `json:"host,omitempty"`
	Range    *Range   `json:"range,omitempty"`
	Source   *Source  `json:"source,omitempty"`
	Command  *Command `json:"command,omitempty"` // the failed command, if that is the reason
}

// Range is a place in a file; lines and columns count from 1.
type Range struct {
	File  string   `json:"file"`
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is one end of a range.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Source is the lines of a file that a problem shows.
type Source struct {
	In   string `json:"in,omitempty"` // the block they are in, such as task "file" "motd"
	Line int    `json:"line"`         // of the first one
	Text string `json:"text"`         // whole lines
}

// Command is a command that ended with an unexpected code. It keeps the beginning and the end of a long
// output.
type Command struct {
	Line   string `json:"line"`
	Code   int    `json:"code"` // 128+n if signal n ended it
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}
