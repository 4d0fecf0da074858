package hostile

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// attacker is the user who owns the folder, by number alone.
const attacker = 65533

// attackEnv has the folders of an attack, for the process that makes it.
const attackEnv = "KINIT_HOSTILE_ATTACK"

func TestMain(m *testing.M) {
	if folders := os.Getenv(attackEnv); folders != "" {
		home, victim, _ := strings.Cut(folders, "\n")
		if err := attack(home, victim); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// begin starts an attack on what works in a folder of the attacker's. It ends with the
// test.
func begin(t *testing.T, home, victim string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{attackEnv + "=" + home + "\n" + victim}
	cmd.Dir, cmd.Stderr = "/", os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: attacker, Gid: attacker}, Pdeathsig: syscall.SIGKILL,
	}
	ready, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	if n, err := ready.Read(make([]byte, 1)); n != 1 {
		t.Fatalf("the attack does not begin: %v", err)
	}
}

// attack watches a folder and the folder "sub" in it. Whatever comes up there gives way to
// a link to what is root's. It takes folders away too, and puts links to root's folder in
// their place.
func attack(home, victim string) error {
	fd, err := syscall.InotifyInit1(0)
	if err != nil {
		return err
	}
	watched := map[int32]string{}
	for _, dir := range []string{home, filepath.Join(home, "sub")} {
		wd, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE|syscall.IN_MOVED_TO|syscall.IN_CLOSE_WRITE|syscall.IN_ATTRIB)
		if err != nil {
			return err
		}
		watched[int32(wd)] = dir
	}
	fmt.Print("+")
	buffer := make([]byte, 64<<10)
	for turn := os.Getpid(); ; { // each attack begins elsewhere
		n, err := syscall.Read(fd, buffer)
		if err != nil {
			return err
		}
		for at := 0; at+syscall.SizeofInotifyEvent <= n; turn++ {
			event := buffer[at:]
			dir := watched[int32(binary.NativeEndian.Uint32(event))]
			length := int(binary.NativeEndian.Uint32(event[12:]))
			name := strings.TrimRight(string(event[syscall.SizeofInotifyEvent:syscall.SizeofInotifyEvent+length]), "\x00")
			at += syscall.SizeofInotifyEvent + length
			if name != "" && !strings.HasPrefix(name, "taken-") {
				take(dir, name, victim, turn)
			}
		}
	}
}

// take puts something of root's in the place of what has just come up. What it does
// changes from time to time.
func take(dir, name, victim string, turn int) {
	path := filepath.Join(dir, name)
	aside := filepath.Join(dir, fmt.Sprintf("taken-%d", turn))
	switch turn % 7 { // twice nothing, so that there is something to win
	case 0:
		_ = os.Remove(path)
		_ = os.Symlink(filepath.Join(victim, "file"), path)
	case 1:
		_ = os.Rename(path, aside)
		_ = os.Symlink(victim, path)
	case 2:
		_ = os.Remove(path)
		_ = os.Link(filepath.Join(victim, "file"), path)
	case 4: // the folder itself gives way for a moment
		if filepath.Base(dir) == "sub" {
			_ = os.Rename(dir, dir+"-aside")
			_ = os.Symlink(victim, dir)
			_ = os.Remove(dir)
			_ = os.Rename(dir+"-aside", dir)
		}
	}
	_ = os.RemoveAll(aside)
}
