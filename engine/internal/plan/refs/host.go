package refs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/decode"
)

// Settings evaluates how a declared host is reached. It returns false if a value is not
// known.
func (all *Refs) Settings(h *Host, values *Values) (inventory.Settings, diag.List, bool) {
	s := inventory.Settings{Name: h.Name, Via: h.Via, Transport: inventory.SSH, Declared: true}
	d := decode.New(all.Late(h, values), decode.NewShared(h.Namespace.Differs))
	take := func(name string, expr hcl.Expression, into any) {
		if expr != nil {
			d.Value(expr, name, name != "address", into)
		}
	}
	take("address", h.Spec.Address, &s.Address)
	take("port", h.Spec.Port, &s.Port)
	take("user", h.Spec.User, &s.User)
	take("transport", h.Spec.Transport, &s.Transport)
	take("private_key", h.Spec.PrivateKey, &s.PrivateKey)
	take("password", h.Spec.Password, &s.Password)
	take("become_method", h.Spec.BecomeMethod, &s.BecomeMethod)
	take("become_password", h.Spec.BecomePassword, &s.BecomePassword)
	take("host_keys", h.Spec.HostKeys, &s.HostKeys)
	take("os", h.Spec.OS, &s.OS)
	take("auth", h.Spec.Auth, &s.Auth)
	take("certificate", h.Spec.Certificate, &s.Certificate)
	var limit string
	if take("connect_timeout", h.Spec.ConnectTimeout, &limit); limit != "" {
		var problem string
		if s.ConnectTimeout, problem = inventory.ConnectTimeout(limit); problem != "" {
			d.Errorf(h.Spec.ConnectTimeout.Range(), "Invalid connect_timeout", "%s", problem)
		}
	}
	take("pace", h.Spec.Pace, &s.Pace)
	if s.Pace != 0 {
		if problem := inventory.Pace(s.Pace); problem != "" {
			d.Errorf(h.Spec.Pace.Range(), "Invalid pace", "%s", problem)
		}
	}
	if h.Spec.Become != nil {
		var become cty.Value
		if d.Value(h.Spec.Become, "become", true, &become); become != cty.NilVal {
			user, problem := inventory.Become(become)
			if s.Become = user; problem != "" {
				d.Errorf(h.Spec.Become.Range(), "Invalid become", "%s", problem)
			}
		}
	}
	choose := func(name, value string, expr hcl.Expression, kind inventory.Choice) {
		if value == "" {
			return
		}
		if problem := kind.Problem(value); problem != "" {
			d.Errorf(expr.Range(), "Invalid "+name, "%s", problem)
		}
	}
	choose("transport", s.Transport, h.Spec.Transport, inventory.Transports())
	choose("os", s.OS, h.Spec.OS, inventory.Systems())
	choose("become_method", s.BecomeMethod, h.Spec.BecomeMethod, inventory.BecomeMethods())
	choose("auth", s.Auth, h.Spec.Auth, inventory.Logins())
	return s, d.Diags, !d.Unknown && !d.Diags.HasErrors()
}
