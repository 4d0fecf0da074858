package dotnet

import (
	"crypto/sha256"
	"hash"
	"io"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func cryptoTypes() []interp.Type {
	var types []interp.Type
	for name, make := range map[string]func() hash.Hash{"SHA256": sha256.New} {
		full := "System.Security.Cryptography." + name
		types = append(types, interp.Type{Name: full, Aliases: []string{"security.cryptography." + name}, Statics: statics{
			"Create": static("Create", 0, 0, func(call) (any, error) { return hashObject(full, make), nil }),
		}})
	}
	return types
}

// hashObject is a hash algorithm as a value.
func hashObject(typeName string, make func() hash.Hash) *value.Object {
	h := make()
	var sum []byte
	o := value.NewObject(typeName)
	o.Supertypes = []string{"System.Security.Cryptography.HashAlgorithm", "System.IDisposable"}
	o.Add(&value.Property{Name: "Hash", ReadOnly: true, Get: func() (any, error) {
		if sum == nil {
			return nil, value.NewException("System.Security.Cryptography.CryptographicUnexpectedOperationException", "Hash must be finalized before the hash value is retrieved.")
		}
		return &value.Bytes{Data: sum}, nil
	}})
	finish := func() {
		sum = h.Sum(nil)
		h.Reset()
	}
	bind(o, "ComputeHash", method("ComputeHash", 1, 3, func(c call) (any, error) {
		h.Reset()
		if err := feed(c, h); err != nil {
			return nil, err
		}
		finish()
		return &value.Bytes{Data: sum}, nil
	}))
	bind(o, "TransformBlock", method("TransformBlock", 5, 5, func(c call) (any, error) {
		b, err := part(c.bytes(0).Data, c.num(1), c.num(2))
		if err != nil {
			return nil, err
		}
		h.Write(b)
		return int32(len(b)), nil
	}))
	bind(o, "TransformFinalBlock", method("TransformFinalBlock", 3, 3, func(c call) (any, error) {
		b, err := part(c.bytes(0).Data, c.num(1), c.num(2))
		if err != nil {
			return nil, err
		}
		h.Write(b)
		finish()
		return &value.Bytes{Data: append([]byte{}, b...)}, nil
	}))
	quiet := func(call) (any, error) { return value.Void{}, nil }
	bind(o, "Dispose", method("Dispose", 0, 0, quiet))
	bind(o, "Clear", method("Clear", 0, 0, quiet))
	return o
}

// feed writes the bytes or the stream of ComputeHash.
func feed(c call, to io.Writer) error {
	if s, ok := data[*stream](c.args[0]); ok {
		if s.read == nil {
			return unknown.New("ComputeHash of a stream that cannot be read")
		}
		_, err := io.Copy(to, s.read)
		return exception(err, "")
	}
	b := c.bytes(0).Data
	if len(c.args) == 3 {
		var err error
		if b, err = part(b, c.num(1), c.num(2)); err != nil {
			return err
		}
	}
	_, err := to.Write(b)
	return err
}
