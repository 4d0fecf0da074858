package program

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kinit/test/winsim/machine"
)

// notRunning is the exit code of taskkill.exe for a process that does not run.
const notRunning = 128

// taskkill is taskkill.exe /F /T /PID n: it ends a process, and with it those that it
// has started.
func taskkill(_ context.Context, p *machine.Process) uint32 {
	if len(p.Args) != 4 || !strings.EqualFold(strings.Join(p.Args[:3], " "), "/F /T /PID") {
		return unsupported(p)
	}
	id, err := strconv.Atoi(p.Args[3])
	if err != nil {
		return unsupported(p)
	}
	target, ok := p.Machine.Process(id)
	if !ok {
		fmt.Fprintf(p.Stderr, either(p, "ERROR: The process \"%d\" not found.\r\n", "FEHLER: Der Prozess \"%d\" wurde nicht gefunden.\r\n"), id)
		return notRunning
	}
	target.Kill()
	<-target.Done()
	say(p, either(p, "SUCCESS: The process with PID %d has been terminated.", "ERFOLGREICH: Der Prozess mit PID %d wurde beendet."), id)
	return 0
}
