package ntlm

// Negotiate flags (2.2.2.5).
const (
	flagUnicode         = 0x00000001
	flagOEM             = 0x00000002
	flagRequestTarget   = 0x00000004
	flagSign            = 0x00000010
	flagSeal            = 0x00000020
	flagNTLM            = 0x00000200
	flagAlwaysSign      = 0x00008000
	flagTargetServer    = 0x00020000
	flagExtendedSession = 0x00080000
	flagTargetInfo      = 0x00800000
	flagVersion         = 0x02000000
	flag128             = 0x20000000
	flagKeyExchange     = 0x40000000
	flag56              = 0x80000000
)

// offered are the flags that the server grants when the client asks for them.
const offered = flagSign | flagSeal | flagNTLM | flagAlwaysSign | flagExtendedSession |
	flagVersion | flag128 | flagKeyExchange | flag56

// negotiated are the flags of a challenge (3.2.5.1.1). Names are in UTF-16 if the
// client can have them so, which some clients do not say in their first message.
func negotiated(asked uint32) uint32 {
	flags := asked&offered | flagRequestTarget | flagTargetServer | flagTargetInfo | flagVersion
	if asked&flagUnicode != 0 {
		return flags | flagUnicode
	}
	return flags | flagOEM
}

// Identifiers of attribute-value pairs (2.2.2.1).
const (
	avEnd              = 0
	avComputerName     = 1
	avDomainName       = 2
	avDNSComputerName  = 3
	avDNSDomainName    = 4
	avFlags            = 6
	avTimestamp        = 7
	avChannelBindings  = 10
	avFlagHasIntegrity = 0x00000002
)
