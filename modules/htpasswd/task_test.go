package htpasswd_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/modules/htpasswd"
)

func task(path string, change func(*htpasswd.Task)) module.Task {
	return moduletest.Make(htpasswd.Kind(), func(made *htpasswd.Task) {
		made.Path, made.User, made.Password = path, "kinit", "correct horse"
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	moduletest.Run(t, moduletest.Case{
		Host: h,
		New:  func() module.Task { return task(h.Path("auth", "htpasswd"), nil) },
		Absent: func() module.Task {
			return task(h.Path("auth", "htpasswd"), func(t *htpasswd.Task) { t.State = "absent" })
		},
		Secrets: []secret.Value{"correct horse"},
	})
}

func TestOtherUsersStay(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	file := h.Path("htpasswd")
	if err := os.WriteFile(file, []byte("ann:x\nkinit:old\nbob:y"), 0o640); err != nil {
		t.Fatal(err)
	}
	moduletest.Do(t, task(file, nil), h)
	lines := strings.Split(read(t, file), "\n")
	if len(lines) != 4 || lines[0] != "ann:x" || lines[1] != "bob:y" || lines[3] != "" {
		t.Fatalf("file:\n%s", read(t, file))
	}
	hash, _ := strings.CutPrefix(lines[2], "kinit:")
	if !strings.HasPrefix(hash, "$2y$10$") {
		t.Errorf("hash %q, want it to start with %q", hash, "$2y$10$")
	}
	if err := bcrypt.CompareHashAndPassword([]byte(hash), []byte("correct horse")); err != nil {
		t.Errorf("the hash does not fit: %v", err)
	}
	moduletest.Do(t, task(file, func(t *htpasswd.Task) { t.State = "absent" }), h)
	if text := read(t, file); text != "ann:x\nbob:y\n" {
		t.Errorf("file after removal %q, want %q", text, "ann:x\nbob:y\n")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v, want 0640", info.Mode(), err)
	}
}

func TestEditsAtTheSameTimeLoseNoUser(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	file := h.Path("htpasswd")
	var all sync.WaitGroup
	const users = 8
	for i := range users {
		all.Go(func() {
			if got := moduletest.Apply(t, task(file, func(t *htpasswd.Task) { t.User = fmt.Sprintf("user%d", i) }), h); got != "" {
				t.Error(got)
			}
		})
	}
	all.Wait()
	if text := read(t, file); strings.Count(text, "\n") != users || strings.Count(text, "user") != users {
		t.Errorf("%d users are there, want %d:\n%s", strings.Count(text, "user"), users, text)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*htpasswd.Task){
		`user is "a:b", expected a name without colon`: func(t *htpasswd.Task) { t.User = "a:b" },
		`password is empty, expected one`:              func(t *htpasswd.Task) { t.Password = "" },
		`password has 73 bytes, expected at most 72`: func(t *htpasswd.Task) {
			t.Password = secret.Value(strings.Repeat("x", 73))
		},
		`mode is "rw", expected permission bits such as "0600"`: func(t *htpasswd.Task) { t.Mode = "rw" },
	} {
		moduletest.Refused(t, task("/srv/htpasswd", change), want)
	}
}

func TestTheCostIsAsWanted(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	file := h.Path("htpasswd")
	cheap := func(t *htpasswd.Task) { t.Cost = 4 }
	moduletest.Do(t, task(file, cheap), h)
	first := read(t, file)
	if !strings.HasPrefix(first, "kinit:$2y$04$") {
		t.Errorf("file %q, want a hash of cost 4", first)
	}
	moduletest.Do(t, task(file, cheap), h)
	if again := read(t, file); again != first {
		t.Errorf("file %q the second time, want %q", again, first)
	}

	steps, err := task(file, nil).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 || steps[0].String() != "hash the password of user kinit in "+file+" with cost 10 instead of 4" {
		t.Errorf("steps %v, %v, want one with another cost", steps, err)
	}
	for _, wrong := range []int{3, 32} {
		moduletest.Refused(t, task(file, func(t *htpasswd.Task) { t.Cost = wrong }), fmt.Sprintf("cost is %d, expected 4 to 31", wrong))
	}
}
