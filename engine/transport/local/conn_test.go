package local_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"kinit/engine/need"
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

func TestConnAsAnOrdinaryUserBySudo(t *testing.T) {
	t.Parallel()
	need.Root(t, "sudo")
	need.Programs(t, "sudo", "sudo", "setsid")
	transporttest.Run(t, func(t *testing.T) transport.Conn { return as(t, "nobody", "") })
}

func TestConnAsRootBySu(t *testing.T) {
	t.Parallel()
	need.Root(t, "sudo")
	transporttest.Sample(t, 2, func(t *testing.T) transport.Conn { return as(t, "root", "su") })
}

func TestDoasThatIsNotThereOrNotSetUpIsNamed(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/etc/doas.conf"); err == nil {
		t.Skip("this machine has a doas that is set up")
	}
	_, err := as(t, "nobody", "doas").Exec(t.Context(), transport.Process{Line: "id -un"})
	if !errors.Is(err, transport.ErrBecome) || !strings.Contains(err.Error(), "become nobody with doas on this machine: ") {
		t.Errorf("error %v", err)
	}
}

func as(t *testing.T, user, method string) *local.Conn {
	t.Helper()
	conn, err := local.As(user, method, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAnotherUserHasItsOwnRightsAndNoneOfOurs(t *testing.T) {
	t.Parallel()
	need.Root(t, "sudo")
	conn := as(t, "nobody", "su")
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.List(t.Context(), "/root"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the user nobody lists /root: %v", err)
	}
	var out strings.Builder
	if code, err := conn.Exec(t.Context(), transport.Process{Line: "id -un; id -G | grep -qw 0", Stdout: &out}); code != 1 || err != nil || out.String() != "nobody\n" {
		t.Errorf("code %d, output %q, error %v", code, out.String(), err)
	}
}

func TestUserWhoCannotBeBecomeIsExplained(t *testing.T) {
	t.Parallel()
	need.Root(t, "sudo")
	conn := as(t, "no-such-user", "su")
	_, err := conn.Exec(t.Context(), transport.Process{Line: "true"})
	if !errors.Is(err, transport.ErrBecome) || !strings.Contains(err.Error(), "become no-such-user with su on this machine: ") {
		t.Errorf("error %v", err)
	}
	if _, err := conn.Files(t.Context()); err == nil || !strings.Contains(err.Error(), "become no-such-user with su on this machine: ") {
		t.Errorf("error %v", err)
	}
}

// An SFTP server that has ended is replaced by a new one.
func TestFilesGoOnAfterTheServerHasEnded(t *testing.T) {
	t.Parallel()
	need.Root(t, "sudo")
	conn := as(t, "nobody", "su")
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	local.EndServer(conn)
	if _, err := files.Stat(t.Context(), "/etc/passwd"); err != nil {
		t.Error(err)
	}
}
