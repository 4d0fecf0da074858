package topology

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
)

// driver returns the driver with a name, or reports an error at the place and returns nil.
func (d *decoder) driver(name string, at hcl.Range) *spec.Driver {
	var names []string
	for _, driver := range d.drivers {
		if driver.Name == name {
			return driver
		}
		names = append(names, driver.Name)
	}
	if len(names) == 0 {
		d.Errorf(at, "Unknown driver", "There is no driver %q: the playbook has no driver block.", name)
		return nil
	}
	d.Errorf(at, "Unknown driver", "There is no driver %q.%s The drivers are %s.", name, diag.Near(name, names), strings.Join(names, ", "))
	return nil
}

// ofCluster returns the driver of pools that name none: the cluster's, or the playbook's
// default, or nil.
func (d *decoder) ofCluster(named *string) *spec.Driver {
	if named != nil {
		return d.driver(*named, argument(d.body, "driver", d.body.SrcRange))
	}
	return d.first(func(driver *spec.Driver) bool { return driver.Default })
}

// first returns the first driver that fits, or nil.
func (d *decoder) first(fits func(*spec.Driver) bool) *spec.Driver {
	if i := slices.IndexFunc(d.drivers, fits); i >= 0 {
		return d.drivers[i]
	}
	return nil
}

// ofPool chooses the driver of a pool and checks that it fits the pool's hosts.
func (d *decoder) ofPool(p *Pool, named *string, count *int, b *hclsyntax.Block) {
	driver := d.standard
	if named != nil {
		if driver = d.driver(*named, argument(b.Body, "driver", p.Range)); driver == nil {
			return
		}
	} else if p.Hosts != nil && (driver == nil || !driver.Existing) {
		driver = d.forMachines(p)
	}
	if driver != nil {
		p.Driver = driver.Name
	}
	switch existing := driver != nil && driver.Existing; {
	case p.Hosts != nil && driver != nil && !existing:
		d.Errorf(p.named, "Conflicting arguments", "The driver %q makes the nodes of pool %q, so the pool has a count. %s",
			driver.Name, p.Name, d.otherwise())
	case p.Hosts != nil && count != nil:
		d.Errorf(argument(b.Body, "count", p.Range), "Conflicting arguments", "The pool %q names its hosts, so they are counted: leave count out.", p.Name)
	case p.Hosts == nil && existing && p.Count > 0:
		d.Errorf(p.Range, "Missing argument", "The nodes of pool %q are machines that exist already, by the driver %q. Name them as the inventory does, as in hosts = [\"m1\", \"m2\"].", p.Name, driver.Name)
	}
	if p.Hosts != nil {
		p.Count = len(p.Hosts)
	}
}

// forMachines returns the driver of a pool that names hosts and no driver.
func (d *decoder) forMachines(p *Pool) *spec.Driver {
	existing := d.first(func(driver *spec.Driver) bool { return driver.Existing })
	if existing == nil && len(d.drivers) > 0 {
		d.Errorf(p.named, "Missing driver", "The pool %q names machines that exist already, and no driver of the playbook is for such. Leave hosts out, or add a driver with existing = true.", p.Name)
	}
	return existing
}

// otherwise returns advice for a pool that names both machines and a driver that makes
// nodes.
func (d *decoder) otherwise() string {
	var names []string
	for _, driver := range d.drivers {
		if driver.Existing {
			names = append(names, `"`+driver.Name+`"`)
		}
	}
	if len(names) == 0 {
		return "No driver of the playbook is for machines that exist already: leave hosts out."
	}
	return "Machines that exist already are for the driver " + strings.Join(names, " or ") + ": leave hosts or driver out."
}
