package process

import (
	"encoding/binary"
	"unicode/utf16"

	//lint:ignore SA1019 NTLM is made of MD4
	"golang.org/x/crypto/md4"
)

// NTHash is what Login.NTHash returns for a user with the password: NTOWFv1 of
// MS-NLMP 3.3.1.
func NTHash(password string) []byte {
	hash := md4.New()
	for _, unit := range utf16.Encode([]rune(password)) {
		hash.Write(binary.LittleEndian.AppendUint16(nil, unit))
	}
	return hash.Sum(nil)
}
