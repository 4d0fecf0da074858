package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// deploymentTasks is how many tasks of k8s-podman-1-1-1 start, less a few: the last place at
// which it is killed.
const deploymentTasks = 190

// TestADeploymentKilledAnywhereIsReadyTheNextTime kills a deployment at places that are
// spread over its work, and each time runs it again, twice, and removes it. Here there is one
// place: KINIT_KILLS says how many.
func TestADeploymentKilledAnywhereIsReadyTheNextTime(t *testing.T) {
	places, err := strconv.Atoi(os.Getenv("KINIT_KILLS"))
	if err != nil {
		places = 1
	}
	k := build(t)
	k.call(t, "lab", "down", "--name", labName, "--output", "json")
	k.must(t, "lab", "up", "--name", labName, "--hosts", hosts, "--drivers", "podman", "--var", "lab_subnet="+labSubnet, "--output", "json")
	t.Cleanup(func() { tearDown(t, k, labName) })
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	run := []string{"run", "k8s-podman-1-1-1", "--hosts", hosts}
	for i := range places {
		step(t, fmt.Sprintf("place %d of %d", i+1, places), func(t *testing.T) {
			k.until(t, after((i+1)*deploymentTasks/(places+1)), kill, run...)
			r := k.must(t, append(run, "--output", "json")...)
			if !strings.Contains(r.stdout, "k8s-compute-01=Ready k8s-controller-01=Ready") {
				t.Errorf("the output does not name both nodes Ready\n%s", tail(r.stdout, 3))
			}
			unchanged(t, k, run)
			removed(t, k, run)
			asBefore(t, before)
		})
	}
	t.Logf("killed at %d places", places)
}

// after matches the start of the n-th task.
func after(n int) func(event) bool {
	return func(e event) bool {
		if e.Kind == "task_started" {
			n--
		}
		return n <= 0
	}
}
