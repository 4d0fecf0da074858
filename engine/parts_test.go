package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/event"
	"kinit/engine/module"
)

func TestPortOfANodeThatStaysGoesOnlyIfItIsNamed(t *testing.T) {
	t.Parallel()
	port := module.Removed{Kind: "port of node", Parts: []string{"id-of-web-01", "id-of-a-service"}}
	unnamed := []Removal{{Kind: "port of node", Name: "shop-web-01", Host: "h1", Why: "the playbook does not keep it, and the node stays"}}
	named := []Removal{unnamed[0]}
	named[0].By = "--remove web-01"
	remove := Options{}
	remove.Remove = []string{"web-01"}
	for name, c := range map[string]struct {
		consent consent
		want    []Removal
	}{
		"nothing names the node":        {consent{}, unnamed},
		"another node goes":             {consent{planned: []Removal{{Kind: event.RemovedNode, Name: "shop-web-02", By: "kinit replace"}}}, unnamed},
		"a flag names the node":         {consent{options: remove}, named},
		"the node goes on another host": {consent{planned: []Removal{{Kind: event.RemovedNode, Name: "shop-web-01", Host: "h2", By: "kinit replace"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.consent.cluster, c.consent.nodes = "shop", []string{"shop-web-01", "shop-web-02"}
			c.consent.ports = map[string]string{"id-of-web-01": "shop-web-01"}
			if diff := cmp.Diff(c.want, c.consent.ofSteps("h1", []module.Removed{port})); diff != "" {
				t.Errorf("removals (-want +got):\n%s", diff)
			}
			err := c.consent.gate(t.Context(), "h1", []module.Removed{port})
			if refused := err != nil; refused != (len(event.Unnamed(c.want)) > 0) {
				t.Errorf("error is %v", err)
			}
		})
	}
}
