package ntlm

import (
	"crypto"
	"crypto/md5"
	_ "crypto/sha256" // hashes of certificates
	_ "crypto/sha512"
	"crypto/x509"
	"encoding/binary"
)

// Bindings is the value that ties a handshake to the TLS channel of a server's
// certificate: MD5 of the channel binding (2.2.2.1, MsvAvChannelBindings) of type
// tls-server-end-point (RFC 5929, section 4).
func Bindings(certificate *x509.Certificate) []byte {
	hash := endpointHash(certificate.SignatureAlgorithm).New()
	hash.Write(certificate.Raw)
	data := append([]byte("tls-server-end-point:"), hash.Sum(nil)...)
	raw := make([]byte, 16) // neither an initiator's nor an acceptor's address
	raw = binary.LittleEndian.AppendUint32(raw, uint32(len(data)))
	sum := md5.Sum(append(raw, data...))
	return sum[:]
}

// endpointHash is the hash of the certificate's signature, SHA-256 at least.
func endpointHash(algorithm x509.SignatureAlgorithm) crypto.Hash {
	switch algorithm {
	case x509.SHA384WithRSA, x509.ECDSAWithSHA384, x509.SHA384WithRSAPSS:
		return crypto.SHA384
	case x509.SHA512WithRSA, x509.ECDSAWithSHA512, x509.SHA512WithRSAPSS:
		return crypto.SHA512
	default:
		return crypto.SHA256
	}
}
