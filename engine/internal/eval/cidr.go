package eval

import (
	"math/big"
	"net"
	"net/netip"

	"github.com/apparentlymart/go-cidr/cidr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

var cidrHost = ofNetwork("Returns an address of a network by its number; negative numbers count from the end.", func(prefix *net.IPNet, n []*big.Int) (string, error) {
	host, err := cidr.HostBig(prefix, n[0])
	if err != nil {
		return "", function.NewArgErrorf(1, "the network %s has no address number %s", prefix, n[0])
	}
	return host.String(), nil
}, "number")

var cidrNetmask = ofNetwork("Returns the netmask of an IPv4 network.", func(prefix *net.IPNet, _ []*big.Int) (string, error) {
	if len(prefix.Mask) != net.IPv4len {
		return "", function.NewArgErrorf(0, "only IPv4 networks have a netmask")
	}
	return net.IP(prefix.Mask).String(), nil
})

var cidrSubnet = ofNetwork("Returns a part of a network: its prefix lengthened by some bits, and the part's number in these.", func(prefix *net.IPNet, n []*big.Int) (string, error) {
	ones, all := prefix.Mask.Size()
	more, number := n[0], n[1]
	if more.Sign() < 0 || more.Cmp(big.NewInt(int64(all-ones))) > 0 {
		return "", function.NewArgErrorf(1, "the network %s cannot be lengthened by %s bits", prefix, more)
	}
	subnet, err := cidr.SubnetBig(prefix, int(more.Int64()), number)
	if err != nil || number.Sign() < 0 {
		return "", function.NewArgErrorf(2, "%s bits have no number %s", more, number)
	}
	return subnet.String(), nil
}, "bits", "number")

// ofNetwork makes a function of a network and whole numbers.
func ofNetwork(about string, do func(prefix *net.IPNet, numbers []*big.Int) (string, error), numbers ...string) function.Function {
	spec := &function.Spec{
		Description: about, Type: function.StaticReturnType(cty.String),
		Params: []function.Parameter{{Name: "prefix", Type: cty.String}},
	}
	for _, name := range numbers {
		spec.Params = append(spec.Params, function.Parameter{Name: name, Type: cty.Number})
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		prefix, err := network(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		given := make([]*big.Int, len(numbers))
		for i := range given {
			if given[i], err = whole(args, i+1); err != nil {
				return cty.NilVal, err
			}
		}
		text, err := do(prefix, given)
		return cty.StringVal(text), err
	}
	return function.New(spec)
}

// network parses a first argument. A netip.Prefix is stricter than what package net takes.
func network(value cty.Value) (*net.IPNet, error) {
	prefix, err := netip.ParsePrefix(value.AsString())
	if err != nil {
		return nil, function.NewArgErrorf(0, "%q is no network such as 10.0.0.0/24", value.AsString())
	}
	prefix = prefix.Masked()
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen())}, nil
}

// whole returns an argument as a whole number.
func whole(args []cty.Value, i int) (*big.Int, error) {
	number, accuracy := args[i].AsBigFloat().Int(nil)
	if accuracy != big.Exact {
		return nil, function.NewArgErrorf(i, "give a whole number")
	}
	return number, nil
}
