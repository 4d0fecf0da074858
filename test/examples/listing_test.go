package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/test/executable"
)

// virsh is what libvirt 9 prints: of a guest of a cluster, of its clone, and of somebody else's.
const virsh = `#!/bin/sh
[ "$LIBVIRT_DEFAULT_URI" = qemu:///system ] || exit 1
case $1 in
list) printf 'k8s-compute-01\nk8s-compute-01-clone\nmy guest\n\n' ;;
dumpxml)
	cat <<END
<domain type='kvm'>
  <name>$2</name>
  <uuid>$(case $2 in k8s-compute-01) echo 0af7651c-9167-4a2e-8fd5-5a3a3f5d6f01 ;; *) echo 11111111-9167-4a2e-8fd5-5a3a3f5d6f01 ;; esac)</uuid>
$(case $2 in k8s-*) cat <<'MARK'
  <metadata>
    <kinit:domain xmlns:kinit="https://kinit.invalid/domain/1" owner="k8s.ONE" uuid="0af7651c-9167-4a2e-8fd5-5a3a3f5d6f01" hash="488f"/>
  </metadata>
MARK
esac)
  <devices>
    <interface type='bridge'>
      <virtualport type='openvswitch'>
        <parameters interfaceid='22222222-9167-4a2e-8fd5-5a3a3f5d6f01'/>
      </virtualport>
    </interface>
  </devices>
</domain>
END
	;;
esac
`

// A hypervisor says which nodes it has, with the mark of each, also where it has no nodes.
func TestDriversListTheNodesOfAHypervisor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		driver, program, text string
		want                  string
		fails                 bool
	}{
		"guests":                    {"libvirt", "virsh", virsh, "k8s-compute-01 k8s.ONE\n", false},
		"libvirt does not answer":   {"libvirt", "virsh", "#!/bin/sh\nexit 1\n", "", true},
		"no libvirt":                {"libvirt", "", "", "", false},
		"no podman":                 {"podman", "", "", "", false},
		"podman does not answer":    {"podman", "podman", "#!/bin/sh\nexit 125\n", "", true},
		"containers, asked at once": {"podman", "podman", "#!/bin/sh\necho \"$*\"\n", "ps --all --filter label=kinit.owner --format {{if not .Pod}}{{.Names}} {{index .Labels \"kinit.owner\"}}{{end}}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, err := os.ReadFile(filepath.Join("../../specs/drivers", test.driver, "files/there.sh"))
			if err != nil {
				t.Fatal(err)
			}
			bin := t.TempDir()
			for _, tool := range []string{"sed", "cat"} {
				path, err := exec.LookPath(tool)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
					t.Fatal(err)
				}
			}
			if test.program != "" {
				executable.Write(t, filepath.Join(bin, test.program), test.text)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", string(script), "nodes", "k8s")
			cmd.Env = []string{"PATH=" + bin}
			out, err := cmd.Output()
			if diff := cmp.Diff(test.want, string(out)); diff != "" || (err != nil) != test.fails {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}
