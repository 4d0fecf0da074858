// Command kinit deploys what a spec describes on several hypervisors.
//
// A command reads flags, makes one call of the engine and picks an exit code. The engine
// does the work, and the view renders it.
package main

import (
	"os"

	"kinit/cmd/kinit/app"
)

func main() {
	os.Exit(run(app.New(programVersion())))
}
