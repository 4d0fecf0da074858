package ssh_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain runs more tests at once than there are processors, unless -parallel says how many: they wait
// for servers, shells and ends of processes nearly all of their time.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", "8"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
