package local_test

import (
	"strings"
	"testing"

	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/engine/transport/transporttest"
)

func TestExecHidesPlaybookVariables(t *testing.T) {
	t.Setenv("KINIT_VAR_password", "hunter22")
	t.Setenv("KINIT_OTHER", "kept")
	conn := local.New()
	defer conn.Close()
	var out strings.Builder
	code, err := conn.Exec(t.Context(), transport.Process{Line: "echo $KINIT_VAR_password $KINIT_OTHER", Stdout: &out})
	if code != 0 || err != nil || out.String() != "kept\n" {
		t.Errorf("code %d, output %q, error %v", code, out.String(), err)
	}
}

func TestConn(t *testing.T) {
	transporttest.Run(t, func(*testing.T) transport.Conn { return local.New() })
}
