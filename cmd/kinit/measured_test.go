package main

import (
	"os"
	"strconv"

	"kinit/cmd/kinit/app"
)

// measuredProgram is the name of kinit that writes its peak into the file peakFile names.
const (
	measuredProgram = "kinit-measured"
	peakFile        = "KINIT_PEAK_FILE"
)

// measuredRun is kinit, which tells at the end how much memory was resident at most.
func measuredRun() {
	code := run(app.New(programVersion()))
	_, peak := processMemory(os.Getpid())
	if err := os.WriteFile(os.Getenv(peakFile), []byte(strconv.FormatInt(peak, 10)), 0o600); err != nil {
		panic(err)
	}
	os.Exit(code)
}
