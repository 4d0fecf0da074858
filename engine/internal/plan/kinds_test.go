package plan

import (
	"context"
	"errors"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
)

// quiet is a module task that does nothing.
type quiet struct{}

func (quiet) Plan(context.Context, module.Host) ([]module.Step, error) { return nil, nil }

// fakeFile has defaults and outputs.
type fakeFile struct {
	quiet
	Path    string            `hcl:"path"`
	Content string            `hcl:"content,optional"`
	Mode    string            `hcl:"mode,optional"`
	Labels  map[string]string `hcl:"labels,optional"`
}

func (*fakeFile) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "size": cty.Number}
}

func (f *fakeFile) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{"path": cty.StringVal(f.Path)}, nil
}

// fakeGuest has blocks, secrets and a validator.
type fakeGuest struct {
	quiet
	Name     string       `hcl:"name"`
	Memory   int          `hcl:"memory,optional"`
	Disks    []string     `hcl:"disks,optional"`
	Password secret.Value `hcl:"password,optional"`
	Tune     *fakeTune    `hcl:"tune,block"`
	NICs     []fakeNIC    `hcl:"nic,block"`
}

type fakeTune struct {
	Kind string `hcl:"kind,label"`
	Huge *bool  `hcl:"huge,optional"`
}

type fakeNIC struct {
	MAC string `hcl:"mac"`
	MTU int    `hcl:"mtu,optional"`
}

func (g *fakeGuest) Validate() error {
	if g.Memory < 1 {
		return errors.New("memory is at least 1")
	}
	return nil
}

func (*fakeGuest) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"id": cty.String, "ip": cty.String, "disks": cty.List(cty.String), "key": cty.String}
}

func (*fakeGuest) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return nil, nil
}

// fakeNote has no outputs.
type fakeNote struct {
	quiet
	Text string    `hcl:"text"`
	Data cty.Value `hcl:"data,optional"`
}

// fakeSecret and fakeKey are what secret blocks stand for.
type fakeSecret struct {
	quiet
	Path   string `hcl:"path"`
	Format string `hcl:"format,optional"`
	Length int    `hcl:"length,optional"`
}

func (*fakeSecret) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"value": cty.String, "path": cty.String}
}

func (*fakeSecret) SecretOutputs() []string { return []string{"value"} }

func (*fakeSecret) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return nil, nil
}

type fakeKey struct {
	quiet
	Path string `hcl:"path"`
}

func (*fakeKey) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"private_key": cty.String, "public_key": cty.String}
}

func (*fakeKey) Outputs(context.Context, module.Host) (map[string]cty.Value, error) { return nil, nil }

func fakeKinds() []module.Kind {
	return []module.Kind{
		{Name: "file", New: func() module.Task { return &fakeFile{Mode: "0644"} }},
		{Name: "guest", New: func() module.Task { return &fakeGuest{Memory: 512} }},
		{Name: "secret", New: func() module.Task { return &fakeSecret{} }},
		{Name: "ssh_key", New: func() module.Task { return &fakeKey{} }},
		{Name: "note", Elsewhere: "win_note", New: func() module.Task { return &fakeNote{} }},
		{Name: "win_note", OS: []module.OS{module.Windows}, Elsewhere: "note", New: func() module.Task { return &fakeNote{} }},
	}
}
