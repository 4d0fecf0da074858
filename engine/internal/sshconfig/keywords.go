package sshconfig

// kind says how the arguments of a keyword are read.
type kind int

const (
	single kind = iota // one argument; the first line counts
	list               // several arguments; the first line counts
	more               // one argument; all lines count
	raw                // the rest of the line as it is
)

// use says what kinit does with a keyword.
type use int

const (
	used       use = iota // it has its effect
	ignored               // it has none on what kinit does
	clientOnly            // it has its effect if the program ssh is installed, and is an error otherwise
)

type keyword struct {
	name string // as ssh_config(5) spells it
	kind kind
	use  use
}

// keywords returns the keywords of ssh_config(5) of OpenSSH 10, by their names in lower case, but for Host, Match and
// Include.
func keywords() map[string]keyword {
	all := map[string]keyword{}
	add := func(k kind, use use, names ...string) {
		for _, name := range names {
			all[lower(name)] = keyword{name, k, use}
		}
	}
	add(single, used,
		"AddressFamily", "BindAddress", "BindInterface", "Ciphers", "ConnectTimeout", "HostKeyAlgorithms", "HostKeyAlias",
		"HostName", "IdentitiesOnly", "IdentityAgent", "KexAlgorithms", "MACs", "Port", "ProxyJump",
		"CASignatureAlgorithms", "PubkeyAcceptedAlgorithms", "RequiredRSASize", "RevokedHostKeys", "ServerAliveCountMax", "ServerAliveInterval", "Tag", "User")
	add(list, used, "GlobalKnownHostsFile", "UserKnownHostsFile")
	add(more, used, "CertificateFile", "IdentityFile")
	add(raw, used, "ProxyCommand")
	add(single, clientOnly, "CanonicalizeHostname")
	add(raw, clientOnly, "KnownHostsCommand")
	add(single, ignored, "Compression")
	add(list, ignored, "CanonicalDomains", "CanonicalizePermittedCNAMEs", "ChannelTimeout", "IPQoS", "LogVerbose", "PermitRemoteOpen", "RekeyLimit", "SetEnv", "SendEnv", "IgnoreUnknown")
	add(raw, ignored, "LocalCommand", "RemoteCommand")
	add(list, ignored, "DynamicForward", "LocalForward", "RemoteForward")
	add(single, ignored,
		"AddKeysToAgent", "BatchMode", "CanonicalizeFallbackLocal", "CanonicalizeMaxDots", "CheckHostIP",
		"ClearAllForwardings", "ConnectionAttempts", "ControlMaster", "ControlPath", "ControlPersist",
		"EnableEscapeCommandline", "EnableSSHKeysign", "EscapeChar", "ExitOnForwardFailure", "FingerprintHash",
		"ForkAfterAuthentication", "ForwardAgent", "ForwardX11", "ForwardX11Timeout", "ForwardX11Trusted", "GatewayPorts",
		"GSSAPIAuthentication", "GSSAPIClientIdentity", "GSSAPIDelegateCredentials", "GSSAPIKexAlgorithms", "GSSAPIKeyExchange",
		"GSSAPIRenewalForcesRekey", "GSSAPIServerIdentity", "GSSAPITrustDns", "HashKnownHosts",
		"HostbasedAcceptedAlgorithms", "HostbasedAuthentication", "KbdInteractiveAuthentication", "KbdInteractiveDevices",
		"LogLevel", "NoHostAuthenticationForLocalhost", "NumberOfPasswordPrompts", "ObscureKeystrokeTiming",
		"PasswordAuthentication", "PermitLocalCommand", "PKCS11Provider", "PreferredAuthentications", "Protocol",
		"ProxyUseFdpass", "PubkeyAuthentication", "RefuseConnection", "RequestTTY",
		"RhostsRSAAuthentication", "RSAAuthentication", "SecurityKeyProvider", "SessionType", "StdinNull",
		"StreamLocalBindMask", "StreamLocalBindUnlink", "StrictHostKeyChecking", "SyslogFacility", "TCPKeepAlive", "Tunnel",
		"TunnelDevice", "UpdateHostKeys", "UsePrivilegedPort", "UseRoaming", "VerifyHostKeyDNS", "VersionAddendum", "VisualHostKey", "WarnWeakCrypto",
		"XAuthLocation", "Cipher", "CompressionLevel", "DSAAuthentication", "FallBackToRsh", "GlobalKnownHostsFile2", "UserKnownHostsFile2",
		"AFSTokenPassing", "KerberosAuthentication", "KerberosTgtPassing", "UseRsh", "SmartcardDevice", "UseKeychain")
	for old, name := range map[string]string{
		"pubkeyacceptedkeytypes": "PubkeyAcceptedAlgorithms", "challengeresponseauthentication": "KbdInteractiveAuthentication",
		"keepalive": "TCPKeepAlive", "hostbasedkeytypes": "HostbasedAcceptedAlgorithms", "skeyauthentication": "KbdInteractiveAuthentication",
		"tisauthentication": "KbdInteractiveAuthentication", "identityfile2": "IdentityFile",
	} {
		all[old] = all[lower(name)]
	}
	delete(all, "usekeychain") // of one system alone, where IgnoreUnknown names it
	return all
}
