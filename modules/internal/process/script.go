package process

// feed runs an interpreter that reads its script from file descriptor 3, so that
// the text is neither in the list of processes nor in a file. The pipe is made
// anew by cat because only the user who made a pipe may open it by its name.
const feed = `cat | { exec "$@" 3<&0 </dev/null; }`

// scriptPath is the interpreter's name of the script.
const scriptPath = "/dev/fd/3"

// Script is a process in which an interpreter runs a text with arguments. Its
// standard input is empty.
func Script(interpreter []string, text string, args ...string) Process {
	argv := append([]string{"sh", "-c", feed, "sh"}, interpreter...)
	return Process{Argv: append(append(argv, scriptPath), args...), Stdin: text}
}
