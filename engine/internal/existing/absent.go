package existing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/run"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// absent reports what may keep a cluster of which no host has a record from being seen, or that it must exist.
func (r Run) absent(ctx context.Context, c topology.Cluster, have Found) diag.List {
	switch {
	case r.Offline || have.HasRecord():
		return nil
	case have.Known(): // without a record, nodes do not say where the others are
		return r.elsewhere(ctx, c)
	}
	diags := slices.Concat(r.silent(c, have.Answers), r.hidden(c, have.Answers), r.elsewhere(ctx, c))
	taken := slices.ContainsFunc(have.Answers, func(a topology.Answer) bool { return a.Taken })
	if r.Inputs.MustExist && !taken && !diags.HasErrors() {
		diags = append(diags, r.missing(c, have.Answers))
	}
	return diags
}

// missing reports a cluster that must exist and that no host has.
func (r Run) missing(c topology.Cluster, answers []topology.Answer) diag.Diagnostic {
	detail := "No host was asked"
	if len(answers) > 0 {
		detail = "It is not on " + lists.And(lists.Map(answers, func(a topology.Answer) string { return a.Host }))
	}
	return diag.Diagnostic{Summary: fmt.Sprintf("Cluster %q does not exist", c.Name), Subject: &c.Range, Cause: topology.ErrExisting,
		Detail: detail + ". This command works on a cluster that exists, and creates none. Give the hosts that have it by --hosts, or create it first by 'kinit run'."}
}

// silent reports hosts that do not answer if no other one knows the cluster: it may exist.
func (r Run) silent(c topology.Cluster, answers []topology.Answer) (diags diag.List) {
	for _, a := range answers {
		if a.Err == nil {
			continue
		}
		diags = append(diags, diag.Diagnostic{Summary: run.Summary(a.Err), Subject: &c.Range, Host: a.Host, Cause: errors.Join(a.Err, topology.ErrExisting),
			Detail: r.Redact(fmt.Sprintf("Whether the cluster %q exists on %s is not known: %v. Without any host, 'kinit plan --offline' shows it as a new one.", c.Name, a.Host, a.Err))})
	}
	return diags
}

// hidden reports hosts that --limit leaves out and that do not answer, if the controller has worked on the
// cluster there, and no other host knows it: as a new one, it would be made again elsewhere.
func (r Run) hidden(c topology.Cluster, answers []topology.Answer) (diags diag.List) {
	for _, a := range answers {
		if !a.Silent || a.Err != nil || r.Looks {
			continue
		}
		may, err := r.Memory.MayBeOn(c.Name, a.Host)
		text := fmt.Sprintf("that host does not answer, this controller has worked on the cluster there, and no host that answers has its record. --limit may leave out %s when it answers or another host has the record. If it does not come back, give --lost %s.", a.Host, a.Host)
		if err != nil {
			text = "that host does not answer, and what this controller knows of it cannot be read: " + err.Error() + "."
		}
		if may || err != nil {
			diags = append(diags, diag.Diagnostic{Summary: "Cluster not known", Subject: &c.Range, Host: a.Host, Cause: errors.Join(err, topology.ErrExisting),
				Detail: fmt.Sprintf("Whether the cluster %q exists on %s is not known: %s", c.Name, a.Host, text)})
		}
	}
	return diags
}
