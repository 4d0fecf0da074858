package module

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/secret"
)

// pack is embedded in tasks.
type pack struct {
	Bag   string   `hcl:"bag,optional" enum:"light,heavy" default:"light"`
	Snack []string `hcl:"snack,optional" enum:"nuts,figs"`
}

// guide is a block.
type guide struct {
	pack
	Tongue string `hcl:"tongue" enum:"rhaeto,ladin"`
}

// walk is a task with one of everything.
type walk struct {
	pack
	Guide  *guide   `hcl:"guide,block"`
	Guides []guide  `hcl:"guides,block"`
	Name   string   `hcl:"name"`
	State  string   `hcl:"state,optional" enum:"present,absent" default:"present"`
	Pace   string   `hcl:"pace,optional" enum:"slow,fast"`
	Way    string   `hcl:"way" enum:"there,back"`
	Count  int      `hcl:"count,optional" default:"3"`
	Loud   bool     `hcl:"loud,optional" default:"true"`
	Codes  []int    `hcl:"codes,optional" default:"0,3010"`
	Names  []string `hcl:"names,optional" default:"a"`
}

// walked is what it returns.
type walked struct {
	Name   string            `cty:"name"`
	Token  secret.Value      `cty:"token"`
	Steps  int64             `cty:"steps"`
	Bytes  uint64            `cty:"bytes"`
	Hours  float64           `cty:"hours"`
	Done   bool              `cty:"done"`
	Places []string          `cty:"places"`
	Labels map[string]string `cty:"labels"`
	Legs   map[string]leg    `cty:"legs"`
	Any    cty.Value         `cty:"any"`
}

type leg struct {
	Miles int `cty:"miles"`
}

var errRain = errors.New("it rains")

func (w *walk) Plan(context.Context, Host) ([]Step, error) { return nil, nil }

func (w *walk) Validate() error {
	if w.Name == "" {
		return errors.New("name is empty, want one")
	}
	return nil
}

func (w *walk) Outputs(context.Context, Host) (walked, error) {
	if w.Name == "rain" {
		return walked{}, errRain
	}
	out := walked{Name: w.Name, Token: "hidden", Steps: 5, Bytes: 6, Hours: 1.5, Done: true, Any: cty.NumberIntVal(7)}
	if w.Name == "far" {
		out.Places, out.Labels = []string{"b", "a"}, map[string]string{"k": "v"}
		out.Legs = map[string]leg{"one": {Miles: 2}}
	}
	return out, nil
}

func TestDefaultsAreTheTags(t *testing.T) {
	t.Parallel()
	want := &walk{pack: pack{Bag: "light"}, State: "present", Count: 3, Loud: true, Codes: []int{0, 3010}, Names: []string{"a"}}
	if got := With[walk, walked](Kind{Name: "walk"}).New(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestArgumentsAreThoseOfEmbeddedStructsToo(t *testing.T) {
	t.Parallel()
	var got []string
	for _, a := range Arguments(reflect.TypeFor[guide]()) {
		got = append(got, a.Name+"/"+a.Kind)
	}
	if want := []string{"bag/optional", "snack/optional", "tongue/"}; !reflect.DeepEqual(got, want) {
		t.Errorf("arguments %q, want %q", got, want)
	}
}

func TestAnEnumeratedArgumentIsOneOfItsWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		task walk
		want string
	}{
		{walk{Name: "x", State: "present", Way: "back"}, ""},
		{walk{Name: "x", State: "absent", Way: "there", Pace: "fast"}, ""},
		{walk{Name: "x", State: "gone", Way: "back"}, `state is "gone", want one of present, absent`},
		{walk{Name: "x", State: "", Way: "back"}, `state is "", want one of present, absent`},
		{walk{Name: "x", State: "present", Way: ""}, `way is "", want one of there, back`},
		{walk{Name: "x", State: "present", Way: "back", Pace: "swift"}, `pace is "swift", want one of slow, fast`},
		{walk{State: "present", Way: "back"}, "name is empty, want one"},
		{walk{Name: "x", State: "present", Way: "back", Guide: &guide{pack{Bag: "light"}, "ladin"}}, ""},
		{walk{Name: "x", State: "present", Way: "back", Guide: &guide{pack{Bag: "light"}, ""}}, `guide: tongue is "", want one of rhaeto, ladin`},
		{walk{Name: "x", State: "present", Way: "back", Guides: []guide{{pack{Bag: "light"}, "ladin"}, {pack{Bag: "big"}, "ladin"}}},
			`guides 2: bag is "big", want one of light, heavy`},
		{walk{pack: pack{Snack: []string{"nuts", "crisps"}}, Name: "x", State: "present", Way: "back"}, `snack has "crisps", want one of nuts, figs`},
	} {
		got := ""
		if c.task.Bag == "" {
			c.task.Bag = "light"
		}
		if err := Check(&c.task); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.task, got, c.want)
		}
	}
}

func TestOutputsAreTheFieldsOfAStruct(t *testing.T) {
	t.Parallel()
	common := map[string]cty.Value{
		"name": cty.StringVal("x"), "token": cty.StringVal("hidden"), "steps": cty.NumberIntVal(5), "bytes": cty.NumberIntVal(6),
		"hours": cty.NumberFloatVal(1.5), "done": cty.True, "any": cty.NumberIntVal(7),
		"places": cty.ListValEmpty(cty.String), "labels": cty.MapValEmpty(cty.String),
		"legs": cty.MapValEmpty(cty.Object(map[string]cty.Type{"miles": cty.Number})),
	}
	got, err := Outputs(t.Context(), &walk{Name: "x"}, nil)
	if want := cty.ObjectVal(common); err != nil || !cty.ObjectVal(got).RawEquals(want) {
		t.Errorf("%#v, %v, want %#v", got, err, want)
	}
	common["name"], common["places"] = cty.StringVal("far"), cty.ListVal([]cty.Value{cty.StringVal("b"), cty.StringVal("a")})
	common["labels"] = cty.MapVal(map[string]cty.Value{"k": cty.StringVal("v")})
	common["legs"] = cty.MapVal(map[string]cty.Value{"one": cty.ObjectVal(map[string]cty.Value{"miles": cty.NumberIntVal(2)})})
	got, err = Outputs(t.Context(), &walk{Name: "far"}, nil)
	if want := cty.ObjectVal(common); err != nil || !cty.ObjectVal(got).RawEquals(want) {
		t.Errorf("%#v, %v, want %#v", got, err, want)
	}
	types := OutputTypes(&walk{})
	for name, value := range common {
		if name != "any" && !types[name].Equals(value.Type()) {
			t.Errorf("output %s is of type %#v, want %#v", name, types[name], value.Type())
		}
	}
	if len(types) != len(common) || types["any"] != cty.DynamicPseudoType {
		t.Errorf("types %#v", types)
	}
	if got := SecretOutputs(&walk{}); !reflect.DeepEqual(got, []string{"token"}) {
		t.Errorf("secret outputs %q, want token alone", got)
	}
}

func TestOutputsThatCannotBeReadAreNone(t *testing.T) {
	t.Parallel()
	if got, err := Outputs(t.Context(), &walk{Name: "rain"}, nil); got != nil || !errors.Is(err, errRain) {
		t.Errorf("%v, %v, want %v", got, err, errRain)
	}
}

// idle has no outputs.
type idle struct{}

func (*idle) Plan(context.Context, Host) ([]Step, error) { return nil, nil }

func TestATaskMayHaveNoOutputs(t *testing.T) {
	t.Parallel()
	task := Of[idle](Kind{Name: "idle"}).New()
	values, err := Outputs(t.Context(), task, nil)
	if values != nil || err != nil || OutputTypes(task) != nil || SecretOutputs(task) != nil {
		t.Errorf("values %v, types %v, secrets %v, error %v, want none", values, OutputTypes(task), SecretOutputs(task), err)
	}
}
