package transporttest

import "io/fs"

// dialect is how the suite says what it wants to a machine. The behaviours are the same
// everywhere and have the same names; the lines, and a few outcomes, are the system's.
// Lines that are functions take texts that need quoting.
type dialect struct {
	// lacks are the behaviours that the system or its transport does not have, each
	// with the reason. They are listed in the test's log.
	lacks map[string]string

	sampled func(number int) bool // which behaviours are tested, by their order; nil for all

	bulk int // bytes that count as much: what is simulated is slow under the race detector

	exec map[string]said   // lines, and what they come to
	kill map[string]string // lines that write two process ids to the file %[1]s

	dirty      string                                         // changes all of the shell's state that it can
	noCommand  string                                         // no line of the shell
	say        func(text string, code int) string             // prints the text and a line end, ends with the code
	sayBoth    func(text string, code int) string             // the same on both outputs
	copyInput  string                                         // copies its input
	firstLine  string                                         // prints the first line of its input, ends with 9
	takeInput  string                                         // reads its input, then sleeps
	sleep      string                                         // for longer than any test
	nap        string                                         // for some milliseconds, ends with 3
	print      func(text string) string                       // prints the text and a dot
	printAll   func(texts []string) string                    // prints each with a dot and a zero byte behind it
	nasty      []string                                       // texts that can be passed
	large      func(outWord, errWord string, size int) string // repeats the words and a line end, cut at the size
	muchOutput string                                         // ends with 3
	readyUntil func(path string) string                       // prints ready and a line end, waits for a file
	touch      func(path string) string                       // makes a file
	makeFence  func(path string) string                       // makes what a fence is
	makeFolder string                                         // prints the path of a new folder
	names      func(dir string) string                        // lists what is in a folder, hidden or not
	readFile   func(path string) string                       // prints a file, and nothing when it is missing
	alive      func(pid string) string                        // prints alive if the process runs
	pidAndWait func(path string) string                       // writes its process id to a file, and sleeps

	files fileWords
}

// said is a line and what it comes to.
type said struct {
	line string
	want outcome
}

// fileWords is what files look like on a system.
type fileWords struct {
	root      string                        // a folder that is always there
	relative  string                        // a path that is not absolute
	foreign   string                        // an absolute path of the other kind of system
	linkTo    func(dir, name string) string // the target of a link to a file in the folder
	newFile   fs.FileMode                   // permission bits of a new file
	newFolder fs.FileMode
	nasty     []string // names
	owner     bool     // Stat tells who owns a file, and permission bits can be chosen
}
