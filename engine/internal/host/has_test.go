package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/internal/instance"
	"kinit/engine/secret"
)

func TestWhatAMachineHasOfAClusterIsToldAtOnce(t *testing.T) {
	const list = `printf '%s\n' "mine k8s.ONE" "theirs k8s.TWO" "older k8s" "odd name k8s.ONE"; echo "$1 k8s.ONE"`
	for name, test := range map[string]struct {
		files   map[string]string // below the owner's folder
		drivers []string
		want    Has
	}{
		"nothing": {nil, []string{list}, Has{Told: true}},
		"a record, and nodes of the instance": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`, "cluster.json": "{\n  \"version\": 1\n}\n"}, []string{list, "echo more k8s.ONE"},
			Has{Instance: instanceOf("ONE", false), Record: "{\n  \"version\": 1\n}\n", Nodes: []string{"mine", "k8s", "more"}, Told: true},
		},
		"marks without an id": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws", "unmarked": true}`}, []string{list},
			Has{Instance: instanceOf("ONE", true), Nodes: []string{"older"}, Told: true},
		},
		"a driver that cannot tell": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`}, []string{"echo first k8s.ONE; exit 3", list},
			Has{Instance: instanceOf("ONE", false), Nodes: []string{"first", "mine", "k8s"}},
		},
		"a driver is asked in the owner's folder": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`}, []string{"test -f owned/instance.json && echo here k8s.ONE"},
			Has{Instance: instanceOf("ONE", false), Nodes: []string{"here"}, Told: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, &secret.Redactor{})
			for file, text := range test.files {
				path := filepath.Join(m.settings.Manifests, "k8s", file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			test.want.Self = thisMachine(t)
			got, err := m.Has(t.Context(), "k8s", "cluster.json", test.drivers)
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v, (-want +got):\n%s", err, diff)
			}
		})
	}
}

// instanceOf is an instance that alice has made.
func instanceOf(id string, unmarked bool) instance.Instance {
	return instance.Instance{ID: id, By: "alice@ws", Unmarked: unmarked}
}
