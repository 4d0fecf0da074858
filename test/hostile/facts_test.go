package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/local_facts"
)

// Programs of local_facts run as root: whatever a user can put into a folder, a folder above it or
// a file of it is not run.
func TestProgramsThatALocalUserCanChangeAreNotRunAsFacts(t *testing.T) {
	need.Root(t, "hostile")
	for way, dial := range ways() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := reach(t, dial)
			for what, arrange := range map[string]func(s *scene, program string) (folder string, steps []error){
				"all of it root's": func(s *scene, program string) (string, []error) {
					return s.victim, []error{os.WriteFile(filepath.Join(s.victim, "x.fact"), []byte(program), 0o755)}
				},
				"a file of theirs in a folder of root's": func(s *scene, program string) (string, []error) {
					path := filepath.Join(s.victim, "x.fact")
					return s.victim, []error{os.WriteFile(path, []byte(program), 0o755), os.Chown(path, attacker, attacker)}
				},
				"a file of their group in a folder of root's": func(s *scene, program string) (string, []error) {
					path := filepath.Join(s.victim, "x.fact")
					return s.victim, []error{os.WriteFile(path, []byte(program), 0o755), os.Chown(path, 0, attacker), os.Chmod(path, 0o775)}
				},
				"a file of root's in their folder": func(s *scene, program string) (string, []error) {
					return s.home, []error{os.WriteFile(filepath.Join(s.home, "x.fact"), []byte(program), 0o755)}
				},
				"a folder of root's in their folder": func(s *scene, program string) (string, []error) {
					folder := filepath.Join(s.home, "facts.d")
					return folder, []error{os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "x.fact"), []byte(program), 0o755)}
				},
				"a link of root's to their file": func(s *scene, program string) (string, []error) {
					path := filepath.Join(s.home, "x")
					return s.victim, []error{os.WriteFile(path, []byte(program), 0o755), os.Symlink(path, filepath.Join(s.victim, "x.fact"))}
				},
				"a link of theirs to a file of root's": func(s *scene, program string) (string, []error) {
					path := filepath.Join(s.victim, "x")
					return s.home, []error{os.WriteFile(path, []byte(program), 0o755), os.Symlink(path, filepath.Join(s.home, "x.fact"))}
				},
				"a link of root's over a link of theirs": func(s *scene, program string) (string, []error) {
					path := filepath.Join(s.victim, "x")
					return s.victim, []error{os.WriteFile(path, []byte(program), 0o755), os.Symlink(s.victim, filepath.Join(s.home, "way")),
						os.Symlink(filepath.Join(s.home, "way", "x"), filepath.Join(s.victim, "x.fact"))}
				},
				"a folder that is a link of theirs": func(s *scene, program string) (string, []error) {
					folder := filepath.Join(s.home, "facts.d")
					return folder, []error{os.WriteFile(filepath.Join(s.victim, "x.fact"), []byte(program), 0o755), os.Symlink(s.victim, folder)}
				},
			} {
				s := newScene(t, "")
				ran := filepath.Join(s.victim, "ran")
				folder, steps := arrange(s, fmt.Sprintf("#!/bin/sh\n: >%s\necho '{}'\n", ran))
				for _, err := range steps {
					if err != nil {
						t.Fatal(err)
					}
				}
				task := moduletest.Decode(t, localfacts.Kind(), fmt.Sprintf("folders = [%q]", folder)).(*localfacts.Task)
				_, err := task.Outputs(t.Context(), h)
				_, missing := os.Stat(ran)
				switch {
				case what == "all of it root's" && (missing != nil || err != nil):
					t.Errorf("%s: it did not run: %v, %v", what, missing, err)
				case what != "all of it root's" && (missing == nil || err == nil || !strings.Contains(err.Error(), "other")):
					t.Errorf("%s: it ran: %t; error %v, want one about other users", what, missing == nil, err)
				}
			}
		})
	}
}
