package eval

import (
	"fmt"
	"math/big"
	"net/netip"

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
		size := new(big.Int).Lsh(big.NewInt(1), uint(prefix.Addr().BitLen()-prefix.Bits()))
		at := new(big.Int).Set(number)
		if at.Sign() < 0 {
			at.Add(at, size)
		}
		if at.Sign() < 0 || at.Cmp(size) >= 0 {
			return cty.NilVal, function.NewArgErrorf(1, "the network %s has no address number %s", prefix, number)
		}
		return cty.StringVal(plus(prefix.Addr(), at).String()), nil
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
		if !prefix.Addr().Is4() {
			return cty.NilVal, function.NewArgErrorf(0, "only IPv4 networks have a netmask")
		}
		mask := uint32(0xffffffff) << (32 - prefix.Bits())
		if prefix.Bits() == 0 {
			mask = 0
		}
		return cty.StringVal(netip.AddrFrom4([4]byte{byte(mask >> 24), byte(mask >> 16), byte(mask >> 8), byte(mask)}).String()), nil
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
		free := prefix.Addr().BitLen() - prefix.Bits()
		if more.Sign() < 0 || more.Cmp(big.NewInt(int64(free))) > 0 {
			return cty.NilVal, function.NewArgErrorf(1, "the network %s cannot be lengthened by %s bits", prefix, more)
		}
		bits := uint(more.Int64())
		if number.Sign() < 0 || number.Cmp(new(big.Int).Lsh(big.NewInt(1), bits)) >= 0 {
			return cty.NilVal, function.NewArgErrorf(2, "%d bits have no number %s", bits, number)
		}
		start := plus(prefix.Addr(), new(big.Int).Lsh(number, uint(free)-bits))
		return cty.StringVal(netip.PrefixFrom(start, prefix.Bits()+int(bits)).String()), nil
	},
})

// network parses a first argument.
func network(value cty.Value) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(value.AsString())
	if err != nil {
		return netip.Prefix{}, function.NewArgErrorf(0, "%q is no network such as 10.0.0.0/24", value.AsString())
	}
	return prefix.Masked(), nil
}

// whole returns an argument as a whole number.
func whole(args []cty.Value, i int) (*big.Int, error) {
	number, accuracy := args[i].AsBigFloat().Int(nil)
	if accuracy != big.Exact {
		return nil, function.NewArgErrorf(i, "give a whole number")
	}
	return number, nil
}

// plus adds to an address. The caller has checked that the sum is in range.
func plus(addr netip.Addr, n *big.Int) netip.Addr {
	sum := new(big.Int).Add(new(big.Int).SetBytes(addr.AsSlice()), n)
	result, ok := netip.AddrFromSlice(sum.FillBytes(make([]byte, addr.BitLen()/8)))
	if !ok {
		panic(fmt.Sprintf("eval: %s + %s is no address; this is a bug in kinit", addr, n))
	}
	return result
}
