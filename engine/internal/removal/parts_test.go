package removal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/event"
	"kinit/engine/internal/input"
	"kinit/engine/module"
)

func TestPortOfANodeThatStaysGoesOnlyIfItIsNamed(t *testing.T) {
	t.Parallel()
	port := module.Removed{Kind: "port of node", Parts: []string{"id-of-web-01", "id-of-a-service"}}
	unnamed := []event.Removal{{Kind: "port of node", Name: "shop-web-01", Host: "h1", Why: "the playbook does not keep it, and the node stays"}}
	named := []event.Removal{unnamed[0]}
	named[0].By = "--remove web-01"
	remove := Options{Inputs: input.Inputs{Remove: []string{"web-01"}}}
	for name, c := range map[string]struct {
		consent Consent
		want    []event.Removal
	}{
		"nothing names the node":        {Consent{}, unnamed},
		"another node goes":             {Consent{Planned: []event.Removal{{Kind: event.RemovedNode, Name: "shop-web-02", By: "kinit replace"}}}, unnamed},
		"a flag names the node":         {Consent{options: remove}, named},
		"the node goes on another host": {Consent{Planned: []event.Removal{{Kind: event.RemovedNode, Name: "shop-web-01", Host: "h2", By: "kinit replace"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.consent.cluster, c.consent.nodes = "shop", []string{"shop-web-01", "shop-web-02"}
			c.consent.ports = map[string]string{"id-of-web-01": "shop-web-01"}
			if diff := cmp.Diff(c.want, c.consent.ofSteps("h1", []module.Removed{port})); diff != "" {
				t.Errorf("removals (-want +got):\n%s", diff)
			}
			err := c.consent.Gate(t.Context(), "h1", []module.Removed{port})
			if refused := err != nil; refused != (len(event.Unnamed(c.want)) > 0) {
				t.Errorf("error is %v", err)
			}
		})
	}
}
