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

type fileOutputs struct {
	Path string `cty:"path"`
	Size int    `cty:"size"`
}

func (f *fakeFile) Outputs(context.Context, module.Host) (fileOutputs, error) {
	return fileOutputs{Path: f.Path}, nil
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

type guestOutputs struct {
	ID    string   `cty:"id"`
	IP    string   `cty:"ip"`
	Disks []string `cty:"disks"`
	Key   string   `cty:"key"`
}

func (*fakeGuest) Outputs(context.Context, module.Host) (guestOutputs, error) {
	return guestOutputs{}, nil
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

type secretOutputs struct {
	Value secret.Value `cty:"value"`
	Path  string       `cty:"path"`
}

func (*fakeSecret) Outputs(context.Context, module.Host) (secretOutputs, error) {
	return secretOutputs{}, nil
}

type fakeKey struct {
	quiet
	Path string `hcl:"path"`
}

type keyOutputs struct {
	PrivateKey string `cty:"private_key"`
	PublicKey  string `cty:"public_key"`
}

func (*fakeKey) Outputs(context.Context, module.Host) (keyOutputs, error) { return keyOutputs{}, nil }

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
