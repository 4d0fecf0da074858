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
		drivers []Lister
		want    Has
	}{
		"nothing": {nil, listers(list), Has{}},
		"a record, and nodes of the instance": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`, "cluster.json": "{\n  \"version\": 1\n}\n"}, listers(list, "echo more k8s.ONE"),
			Has{Marks: true, Instance: instanceOf("ONE", false), Record: "{\n  \"version\": 1\n}\n", Nodes: map[string]string{"mine": "a", "k8s": "a", "more": "b"}},
		},
		"marks without an id": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws", "unmarked": true}`}, listers(list),
			Has{Marks: true, Instance: instanceOf("ONE", true), Nodes: map[string]string{"older": "a"}},
		},
		"a driver that cannot tell": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`}, listers("echo first k8s.ONE; exit 3", list),
			Has{Marks: true, Instance: instanceOf("ONE", false), Nodes: map[string]string{"first": "a", "mine": "b", "k8s": "b"}, Untold: []string{"a"}},
		},
		"a driver is asked in the owner's folder": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`}, listers("test -f owned/instance.json && echo here k8s.ONE"),
			Has{Marks: true, Instance: instanceOf("ONE", false), Nodes: map[string]string{"here": "a"}},
		},
		"a late driver, and a record that says which driver made the nodes": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`, "cluster.json": "{\n  \"version\": 2\n}\n"}, []Lister{{"a", "echo one k8s.ONE", false}, {"b", "echo two k8s.ONE", true}},
			Has{Marks: true, Instance: instanceOf("ONE", false), Record: "{\n  \"version\": 2\n}\n", Nodes: map[string]string{"one": "a"}},
		},
		"a late driver, and a record that does not": {
			map[string]string{"owned/instance.json": `{"id": "ONE", "by": "alice@ws"}`, "cluster.json": "{\n  \"version\": 1,\n}\n"}, []Lister{{"a", "echo one k8s.ONE", false}, {"b", "echo two k8s.ONE; exit 1", true}},
			Has{Marks: true, Instance: instanceOf("ONE", false), Record: "{\n  \"version\": 1,\n}\n", Nodes: map[string]string{"one": "a", "two": "b"}, Untold: []string{"b"}},
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

func TestAnswerForADriverThatWasNotAskedIsAnError(t *testing.T) {
	for _, text := range []string{"\n= untold 0\n", "\n= nodes 1\n", "\n= nodes -1\n", "\n= nodes x\n"} {
		if has, err := readHas("k8s", text, nil); err == nil {
			t.Errorf("%q: %+v", text, has)
		}
	}
}

// listers are drivers a, b and so on.
func listers(scripts ...string) []Lister {
	var all []Lister
	for i, script := range scripts {
		all = append(all, Lister{Driver: string(rune('a' + i)), Script: script})
	}
	return all
}

// instanceOf is an instance that alice has made.
func instanceOf(id string, unmarked bool) instance.Instance {
	return instance.Instance{ID: id, By: "alice@ws", Unmarked: unmarked}
}
