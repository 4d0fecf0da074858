// Command kinit deploys what a spec describes over several hypervisors.
//
// This package turns flags into engine.Options and reports into exit codes; what
// a command does is the engine's, and how it looks is the view's.
package main

import "os"

func main() {
	w := thisProcess()
	os.Exit(w.run())
}
