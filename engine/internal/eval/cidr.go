package eval

import (
	"math/big"
	"net"
	"net/netip"

	"github.com/apparentlymart/go-cidr/cidr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

var cidrHost = function.New(&function.Spec{
	Description: "Returns an address of a network by its number; negative numbers count from the end.",
	Params:      []function.Parameter{{Name: "prefix", Type: cty.String}, {Name: "number", Type: cty.Number}},
	Type:        function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		prefix, err := network(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		number, err := whole(args, 1)
		if err != nil {
			return cty.NilVal, err
		}
		host, err := cidr.HostBig(prefix, number)
		if err != nil {
			return cty.NilVal, function.NewArgErrorf(1, "the network %s has no address number %s", prefix, number)
		}
		return cty.StringVal(host.String()), nil
	},
})

var cidrNetmask = function.New(&function.Spec{
	Description: "Returns the netmask of an IPv4 network.",
	Params:      []function.Parameter{{Name: "prefix", Type: cty.String}},
	Type:        function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		prefix, err := network(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		if len(prefix.Mask) != net.IPv4len {
			return cty.NilVal, function.NewArgErrorf(0, "only IPv4 networks have a netmask")
		}
		return cty.StringVal(net.IP(prefix.Mask).String()), nil
	},
})

var cidrSubnet = function.New(&function.Spec{
	Description: "Returns a part of a network: its prefix lengthened by some bits, and the part's number in these.",
	Params:      []function.Parameter{{Name: "prefix", Type: cty.String}, {Name: "bits", Type: cty.Number}, {Name: "number", Type: cty.Number}},
	Type:        function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		prefix, err := network(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		more, err := whole(args, 1)
		if err != nil {
			return cty.NilVal, err
		}
		number, err := whole(args, 2)
		if err != nil {
			return cty.NilVal, err
		}
		ones, all := prefix.Mask.Size()
		if more.Sign() < 0 || more.Cmp(big.NewInt(int64(all-ones))) > 0 {
			return cty.NilVal, function.NewArgErrorf(1, "the network %s cannot be lengthened by %s bits", prefix, more)
		}
		subnet, err := cidr.SubnetBig(prefix, int(more.Int64()), number)
		if err != nil || number.Sign() < 0 {
			return cty.NilVal, function.NewArgErrorf(2, "%s bits have no number %s", more, number)
		}
		return cty.StringVal(subnet.String()), nil
	},
})

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
