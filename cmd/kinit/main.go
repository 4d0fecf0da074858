// Command kinit deploys what a spec describes on several hypervisors.
//
// This package turns flags into engine.Options and reports into exit codes; the engine
// does the work, and the view renders it.
package main

import "os"

func main() {
	w := thisProcess(programVersion())
	os.Exit(w.run())
}
