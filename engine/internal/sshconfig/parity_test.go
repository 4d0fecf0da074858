package sshconfig

import "strings"

// parity is a configuration, the files that it includes, and the hosts that are asked for. FOLDER stands for their folder.
type parity struct {
	config string
	files  map[string]string
	hosts  []string
	given  Given
	fails  bool
}

func replaceFolder(text, folder string) string { return strings.ReplaceAll(text, "FOLDER", folder) }

func parityCases() map[string]parity {
	one := func(config string, hosts ...string) parity {
		if len(hosts) == 0 {
			hosts = []string{"alpha", "beta"}
		}
		return parity{config: config, hosts: hosts}
	}
	with := func(c parity, files map[string]string) parity { c.files = files; return c }
	failing := func(config string) parity {
		c := one(config, "alpha")
		c.fails = true
		return c
	}
	return map[string]parity{
		"nothing":                  one(""),
		"comments":                 one("# Host alpha\n   # indented\n\nPort 22 # behind\nHost alpha # beta\n User x\n"),
		"first value counts":       one("Host alpha\n User one\nHost *\n User two\n Port 33\n"),
		"case of keywords":         one("HOST alpha\n hostname 127.0.0.9\n pORT 44\n"),
		"equals signs":             one("Host=alpha\nHostName=127.0.0.9\nPort = 44\nUser= x\n"),
		"tabs":                     one("Host alpha\tbeta\n\tHostName\t127.0.0.9\n"),
		"quotes":                   one("Host \"alpha\" 'beta'\n User \"x y\"\n IdentityFile \"~/.ssh/a b\"\n"),
		"escapes":                  one("Host alpha\n IdentityFile ~/.ssh/a\\ b\n UserKnownHostsFile \"/tmp/k\\\"h\"\n"),
		"carriage returns":         one("Host alpha\r\n Port 44\r\n User x\r\n"),
		"negated host":             one("Host *.example.com !alpha.example.com alpha\n User x\nHost !beta *\n Port 9\n", "alpha", "beta", "alpha.example.com", "beta.example.com"),
		"question mark":            one("Host bet? alph?\n User x\nHost ?????\n Port 3\n"),
		"many patterns":            one("Host a* *a b*\n User x\nHost *.*.com\n Port 7\n"),
		"capital letters":          one("Host ALPHA\n User x\nHost alpha\n User y\n", "ALPHA", "alpha"),
		"hostname tokens":          one("Host *\n HostName %h.lab\nHost beta\n HostName %%x\n", "alpha"),
		"match all":                one("Match all\n User x\n Port 5\n"),
		"match final all":          one("Match final all\n User x\nHost alpha\n User y\n"),
		"match canonical all":      one("Match canonical all\n User x\nHost alpha\n Port 5\n"),
		"match negated final":      one("Match !final all\n User x\n"),
		"match host":               one("Host alpha\n HostName beta\nMatch host beta\n User x\nMatch host alpha,gamma\n Port 9\n"),
		"match host list":          one("Match host alpha,beta\n HostName 127.0.0.61\n Port 22061\n"),
		"match negated list":       one("Match host *,!beta\n User x\n"),
		"match negated host":       one("Match !host beta\n User x\n"),
		"match originalhost":       one("Host alpha\n HostName beta\nMatch originalhost alpha\n User x\nMatch originalhost beta\n Port 8\n"),
		"match user":               one("Host alpha\n User u1\nMatch user u1\n Port 8\nMatch user u2,u3\n Port 9\n"),
		"match localuser":          one("Match localuser somebody-else\n User x\nMatch !localuser somebody-else\n Port 8\n"),
		"match several":            one("Match host alpha user root\n Port 8\nMatch originalhost beta !user root\n Port 9\n"),
		"match equals":             one("Match host=alpha\n Port 8\nMatch !host=alpha originalhost=beta\n Port 9\n"),
		"match quoted":             one("Match host \"alpha,beta\"\n Port 8\n"),
		"final pass":               one("Host alpha\n HostName beta\nMatch final host beta\n User late\nHost beta\n IdentityFile /k/beta\n"),
		"redhat":                   one("Host alpha\n Port 9\nMatch final all\n\tGSSAPIAuthentication yes\n\tForwardX11Trusted yes\n"),
		"include":                  with(one("Include FOLDER/*.conf\nHost alpha\n User late\n"), map[string]string{"a.conf": "Host alpha\n User early\n", "b.conf": "Port 7\n"}),
		"include in a block":       with(one("Host alpha\n Include FOLDER/a.conf\n Port 9\nUser z\n"), map[string]string{"a.conf": "User x\nHost beta\n Port 3\n"}),
		"include of several":       with(one("Include\t/none/x\t\"FOLDER/a.conf\" FOLDER/b.conf\n"), map[string]string{"a.conf": "Port 6\n", "b.conf": "User b\n"}),
		"include of nothing":       one("Include /none/*.conf\nPort 9\n"),
		"include of an include":    with(one("Include FOLDER/a.conf\n"), map[string]string{"a.conf": "Include FOLDER/b.conf\nPort 1\n", "b.conf": "Host alpha\n User deep\n"}),
		"jump":                     one("ProxyJump gate\n"),
		"jump with user and port":  one("ProxyJump me@gate:2222\n"),
		"jumps":                    one("ProxyJump me@gate:2222,other,ssh://x@third:23\n"),
		"jump uri":                 one("ProxyJump ssh://me@gate:2222\n"),
		"jump none":                one("Host alpha\n ProxyJump none\nHost *\n ProxyJump gate\n"),
		"jump before command":      one("ProxyJump gate\nProxyCommand nc %h %p\n"),
		"command before jump":      one("ProxyCommand nc %h %p\nProxyJump gate\n"),
		"command":                  one("Host alpha\n HostName 127.0.0.9\n Port 8\nHost *\n ProxyCommand ssh -W [%h]:%p -l %r \"gate\" # %n\n"),
		"command none":             one("Host alpha\n ProxyCommand none\nHost *\n ProxyCommand nc %h %p\n"),
		"jump to itself":           one("Host gate\n Port 5\nHost *\n ProxyJump gate\n", "alpha"),
		"keys":                     one("IdentityFile ~/.ssh/one\nHost alpha\n IdentityFile /k/%h-%r\n IdentityFile ~/.ssh/one\n"),
		"keys none":                one("IdentityFile none\nIdentitiesOnly yes\n"),
		"certificates":             one("CertificateFile ~/.ssh/one-cert.pub\nCertificateFile %d/two-cert.pub\n"),
		"variables":                one("IdentityFile ${HOME}/k\nCertificateFile ${HOME}/c\nUserKnownHostsFile ${HOME}/kh\n"),
		"agent":                    one("Host alpha\n IdentityAgent ~/agent.sock\nHost beta\n IdentityAgent none\nHost *\n IdentityAgent SSH_AUTH_SOCK\n"),
		"agent in a variable":      one("IdentityAgent ${HOME}/agent\n"),
		"known hosts":              one("UserKnownHostsFile ~/.ssh/kh.%k /tmp/%n.%h\nGlobalKnownHostsFile /etc/a /etc/b\nHostKeyAlias other\n", "alpha"),
		"no known hosts":           one("UserKnownHostsFile none\nGlobalKnownHostsFile /dev/null\n"),
		"algorithms":               one("HostKeyAlgorithms ssh-ed25519,rsa-sha2-512\nKexAlgorithms curve25519-sha256\nCiphers aes256-ctr\nMACs hmac-sha2-256\nPubkeyAcceptedAlgorithms ssh-ed25519\n"),
		"safety settings":          one("CASignatureAlgorithms ssh-ed25519\nRequiredRSASize 3072\nRevokedHostKeys ~/.ssh/revoked\n"),
		"old name of an algorithm": one("PubkeyAcceptedKeyTypes ssh-ed25519\n"),
		"family and address":       one("AddressFamily inet6\nBindAddress 127.0.0.5\n"),
		"times":                    one("ConnectTimeout 7\nServerAliveInterval 1m30s\nServerAliveCountMax 9\n"),
		"no timeout":               one("ConnectTimeout none\n"),
		"compression":              one("Compression yes\n"),
		"ignored keywords":         one("ForwardAgent yes\nControlMaster auto\nControlPath ~/.ssh/%C\nControlPersist 10m\nLogLevel QUIET\nStrictHostKeyChecking no\nAddKeysToAgent no\nSetEnv A=B C=\"d e\"\nSendEnv LANG LC_*\nLocalForward 8080 localhost:80\nRequestTTY no\nIPQoS lowdelay throughput\n"),
		"unknown but allowed":      one("IgnoreUnknown UseKeychain,X*\nUseKeychain yes\nXtra 1\nPort 5\n"),
		"option counts most":       {config: "Host alpha\n User x\n Port 5\n", hosts: []string{"alpha"}, given: Given{Options: []string{"User=me", "Port 6", "UserKnownHostsFile=/a"}}},
		"user counts most":         {config: "User x\nMatch user me\n Port 7\n", hosts: []string{"alpha"}, given: Given{User: "me"}},
		"port counts most":         {config: "Port 5\nProxyCommand nc %h %p\n", hosts: []string{"alpha"}, given: Given{Port: 99}},

		"unknown keyword":           failing("Prot 22\n"),
		"unknown keyword elsewhere": failing("Host beta\n Prot 22\n"),
		"port that is none":         failing("Port many\n"),
		"open quote":                failing("Host \"alpha\n"),
		"too many values":           failing("Port 22 23\n"),
		"match without a value":     failing("Match host\n"),
		"unknown criterion":         failing("Match hots alpha\n"),
		"all with another":          failing("Match all host alpha\n"),
		"unknown token":             failing("IdentityFile ~/%z\n"),
		"unset variable":            failing("UserKnownHostsFile ${KINIT_NOT_SET}/x\n"),
		"jump without a host":       failing("ProxyJump me@\n"),
		"family that is none":       failing("AddressFamily ipv6\n"),
		"wrong yes":                 failing("IdentitiesOnly perhaps\n"),
	}
}
