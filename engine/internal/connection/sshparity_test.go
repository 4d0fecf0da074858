package connection

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// reach is a configuration of OpenSSH's client for the host alpha, and whether it leads there.
type reach struct {
	config string
	fails  bool
	gate   bool // the way leads through the jump host
}

// TestKinitReachesWhatSSHReaches connects to real servers by the same configurations with ssh and with kinit: both get
// there, through the same machines and by the same keys in the same order, or neither does.
func TestKinitReachesWhatSSHReaches(t *testing.T) {
	lab := newSSHLab(t)
	for name, c := range lab.cases(t) {
		t.Run(name, func(t *testing.T) {
			config := lab.write(t, "config", c.config)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			lab.seen()
			sshErr := lab.ssh(ctx, config)
			sshKeys, sshGate := lab.seen()
			kinitErr := lab.kinit(ctx, config)
			keys, gate := lab.seen()
			if (sshErr != nil) != c.fails || (kinitErr != nil) != c.fails {
				t.Fatalf("ssh: %v\nkinit: %v\nshould fail: %v", sshErr, kinitErr, c.fails)
			}
			if c.fails {
				return
			}
			if sshGate != c.gate || gate != c.gate {
				t.Errorf("through the jump host: ssh %v, kinit %v, want %v", sshGate, gate, c.gate)
			}
			if diff := cmp.Diff(sshKeys, keys); diff != "" {
				t.Errorf("offered keys (-ssh +kinit):\n%s", diff)
			}
		})
	}
}

// cases are configurations. Capital words in them stand for what the lab has.
func (l *sshLab) cases(t *testing.T) map[string]reach {
	t.Helper()
	l.write(t, "hosts", "Host gate\n HostName 127.0.0.1\n Port GATEPORT\n")
	l.write(t, "bad", "oldhost,192.0.2.9 1024 37 15999391199919191919393\nbad.example ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDtruncat\n"+l.read(t, "known"))
	l.write(t, "plain", "127.0.0.1 "+l.target.HostKey+"\n")
	l.write(t, "alias", "myalias "+l.target.HostKey+"\n")
	l.write(t, "empty", "")
	l.write(t, "revokedkeys", "# stolen\n"+l.target.HostKey+"\n")
	l.write(t, "changed", name(l.target)+" "+l.read(t, "wrong1.pub"))
	l.write(t, "plainchanged", "127.0.0.1 "+l.read(t, "wrong1.pub"))
	l.write(t, "revoked", "@revoked * "+l.target.HostKey+"\n"+l.read(t, "known"))
	l.write(t, "alpha", "alpha "+l.target.HostKey+"\n")
	l.write(t, "otherauthority", "@cert-authority *.other.example "+l.read(t, "otherca.pub")+name(l.target)+" "+l.target.HostKey+"\n")
	l.write(t, "nocert", name(l.certified)+" "+l.read(t, "certhost.pub"))
	l.write(t, "authority2", "@cert-authority certified.example "+l.read(t, "hostca.pub"))
	l.copy(t, "known", "known hosts")
	l.write(t, "kh.alpha", l.read(t, "known"))
	l.write(t, "printknown", "#!/bin/sh\ncat "+l.path("known")+"\n")
	if err := os.Chmod(l.path("printknown"), 0o700); err != nil {
		t.Fatal(err)
	}
	target := "Host alpha\n HostName 127.0.0.1\n Port TARGETPORT\n User USER\n UserKnownHostsFile DIR/known\n"
	noAgent := target + " IdentityAgent none\n"
	right := noAgent + " IdentityFile DIR/right\n"
	certified := "Host alpha\n HostName 127.0.0.1\n Port CERTPORT\n User USER\n UserKnownHostsFile DIR/known\n IdentityAgent none\n"
	gate := "Host gate mid\n HostName 127.0.0.1\n Port GATEPORT\n User USER\n UserKnownHostsFile DIR/known\n IdentityAgent none\n IdentityFile DIR/right\n"
	known := func(file string) string { return strings.Replace(right, "DIR/known", "DIR/"+file, 1) }
	all := map[string]reach{
		"key":                      {config: right},
		"second key":               {config: noAgent + " IdentityFile DIR/wrong1\n IdentityFile DIR/right\n"},
		"no right key":             {config: noAgent + " IdentityFile DIR/wrong1\n", fails: true},
		"missing key":              {config: noAgent + " IdentityFile DIR/none\n IdentityFile DIR/right\n"},
		"rsa":                      {config: noAgent + " IdentityFile DIR/rsa\n"},
		"rsa key too short":        {config: noAgent + " IdentityFile DIR/rsa\n RequiredRSASize 16000\n", fails: true},
		"rsa key long enough":      {config: noAgent + " IdentityFile DIR/rsa\n RequiredRSASize 2048\n"},
		"revoked host key":         {config: right + " RevokedHostKeys DIR/revokedkeys\n", fails: true},
		"other key revoked":        {config: right + " RevokedHostKeys DIR/otherca.pub\n"},
		"revoked keys missing":     {config: right + " RevokedHostKeys DIR/nofile\n", fails: true},
		"authority revoked":        {config: certified + " IdentityFile DIR/cert\n RevokedHostKeys DIR/hostca.pub\n", fails: true},
		"authority's algorithm":    {config: certified + " IdentityFile DIR/cert\n CASignatureAlgorithms ssh-ed25519\n"},
		"not the authority's":      {config: certified + " IdentityFile DIR/cert\n CASignatureAlgorithms rsa-sha2-512\n", fails: true},
		"rsa not accepted":         {config: noAgent + " IdentityFile DIR/rsa\n PubkeyAcceptedAlgorithms ssh-ed25519\n", fails: true},
		"locked key without agent": {config: noAgent + " IdentityFile DIR/locked\n", fails: true},
		"too many keys":            {config: target + " IdentityFile DIR/none\n", fails: true},
		"locked key in the agent":  {config: target + " IdentityFile DIR/locked\n"},
		"public key of the agent":  {config: target + " IdentityFile DIR/only.pub\n"},
		"identities only":          {config: target + " IdentitiesOnly yes\n IdentityFile DIR/only.pub\n"},
		"identities only, file":    {config: target + " IdentitiesOnly yes\n IdentityFile DIR/right\n"},
		"identity agent":           {config: target + " IdentityAgent AGENT\n IdentitiesOnly yes\n IdentityFile DIR/locked\n"},
		"agent and files":          {config: target + " IdentitiesOnly yes\n IdentityFile DIR/wrong1\n IdentityFile DIR/locked\n IdentityFile DIR/right\n"},
		"quoted key":               {config: noAgent + " IdentityFile \"DIR/right\"\n"},
		"key by a token":           {config: noAgent + " IdentityFile DIR/%n/x\n IdentityFile DIR/right\n"},

		"certificate beside the key":      {config: certified + " IdentityFile DIR/cert\n"},
		"certificate file":                {config: certified + " IdentityFile DIR/bare\n CertificateFile DIR/elsewhere-cert.pub\n"},
		"certificate without its key":     {config: certified + " IdentityFile DIR/right\n CertificateFile DIR/elsewhere-cert.pub\n", fails: true},
		"certificate of an agent's key":   {config: strings.Replace(certified, "none", "AGENT", 1) + " IdentitiesOnly yes\n IdentityFile DIR/agentcert.pub\n CertificateFile DIR/agentcert-cert.pub\n"},
		"agent's certificate not chosen":  {config: strings.Replace(certified, "none", "AGENT", 1) + " IdentitiesOnly yes\n IdentityFile DIR/agentcert.pub\n", fails: true},
		"certificate on a plain server":   {config: noAgent + " IdentityFile DIR/cert\n IdentityFile DIR/right\n"},
		"plain key where certificates go": {config: certified + " IdentityFile DIR/right\n", fails: true},
		"host certificate by alias":       {config: strings.Replace(certified, "DIR/known", "DIR/authority2", 1) + " HostKeyAlias certified.example\n IdentityFile DIR/cert\n"},
		"host certificate, unknown CA":    {config: strings.Replace(certified, "DIR/known", "DIR/otherauthority", 1) + " IdentityFile DIR/cert\n", fails: true},
		"plain key of a certified host":   {config: strings.Replace(certified, "DIR/known", "DIR/nocert", 1) + " IdentityFile DIR/cert\n"},
		"authority for other hosts":       {config: known("otherauthority")},

		"bad lines of known_hosts":     {config: known("bad")},
		"known without the port":       {config: known("plain")},
		"known by an alias":            {config: known("alias") + " HostKeyAlias myalias\n"},
		"unknown host":                 {config: known("empty"), fails: true},
		"known by the name given":      {config: known("alpha") + " HostKeyAlias alpha\n"},
		"changed key":                  {config: known("changed"), fails: true},
		"another key without the port": {config: known("plainchanged"), fails: true},
		"revoked key":                  {config: known("revoked"), fails: true},
		"known hosts with tokens":      {config: known("kh.%k")},
		"several known hosts":          {config: known("empty DIR/known")},
		"quoted known hosts":           {config: strings.Replace(right, "UserKnownHostsFile DIR/known", "UserKnownHostsFile \"DIR/known\"", 1)},
		"global known hosts":           {config: known("empty") + " GlobalKnownHostsFile DIR/known\n"},
		"no known hosts":               {config: strings.Replace(right, "DIR/known", "/dev/null", 1), fails: true},
		"known hosts command":          {config: known("empty") + " KnownHostsCommand DIR/printknown %H\n"},
		"host key algorithm":           {config: right + " HostKeyAlgorithms rsa-sha2-512\n", fails: true},

		"jump":                    {config: right + " ProxyJump gate\n" + gate, gate: true},
		"jump with user":          {config: right + " ProxyJump USER@gate\n" + gate, gate: true},
		"jump with a token":       {config: right + " ProxyJump %r@gate\n" + gate, gate: true},
		"jump by address":         {config: right + " ProxyJump USER@127.0.0.1:GATEPORT\nHost 127.0.0.1\n UserKnownHostsFile DIR/known\n IdentityAgent none\n IdentityFile DIR/right\n", gate: true},
		"jump by uri":             {config: right + " ProxyJump ssh://USER@gate:GATEPORT\n" + gate, gate: true},
		"two jumps":               {config: right + " ProxyJump gate,mid\n" + gate, gate: true},
		"jump of a jump":          {config: right + " ProxyJump mid\n" + strings.Replace(gate, "gate mid", "gate", 1) + strings.Replace(gate, "gate mid", "mid", 1) + " ProxyJump gate\n", gate: true},
		"jump none":               {config: right + " ProxyJump none\nHost *\n ProxyJump nowhere\n"},
		"jump to nowhere":         {config: right + " ProxyJump nowhere.invalid\n", fails: true},
		"proxy command":           {config: right + " ProxyCommand ssh -F DIR/config -W %h:%p gate\n" + gate, gate: true},
		"proxy command of netcat": {config: right + " ProxyCommand bash -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & cat >&3'\n"},
		"proxy command none":      {config: right + " ProxyCommand none\nHost *\n ProxyCommand false\n"},
		"proxy command fails":     {config: right + " ProxyCommand false\n", fails: true},

		"match host list":     {config: strings.Replace(right, "Host alpha", "Match host alpha,beta", 1)},
		"match exec":          {config: "Match host alpha exec \"test -e /nonexistent\"\n ProxyJump nowhere.invalid\n" + right},
		"match exec holds":    {config: "Match host alpha exec \"true\"\n ProxyJump gate\n" + right + gate, gate: true},
		"match final all":     {config: right + "Match final all\n GSSAPIAuthentication yes\n"},
		"match user":          {config: "Match user USER\n ProxyJump none\n" + right + "Host *\n ProxyJump nowhere.invalid\n"},
		"tabs":                {config: strings.ReplaceAll(right, "Host alpha", "Host\talpha\tbeta")},
		"quoted host":         {config: strings.ReplaceAll(right, "Host alpha", "Host \"alpha\"")},
		"negated host":        {config: "Host * !alpha\n ProxyJump nowhere.invalid\n" + right},
		"canonical name":      {config: "CanonicalizeHostname yes\nCanonicalizeFallbackLocal yes\n" + right},
		"family":              {config: right + " AddressFamily inet\n"},
		"wrong family":        {config: right + " AddressFamily inet6\n", fails: true},
		"bind address":        {config: right + " BindAddress 127.0.0.1\n"},
		"ciphers":             {config: right + " Ciphers aes256-ctr\n MACs hmac-sha2-256\n KexAlgorithms curve25519-sha256\n"},
		"no common cipher":    {config: right + " Ciphers 3des-cbc\n", fails: true},
		"compression":         {config: right + " Compression yes\n"},
		"alive":               {config: right + " ServerAliveInterval 5\n ServerAliveCountMax 2\n ConnectTimeout 20\n"},
		"unknown option":      {config: right + " Prot 22\n", fails: true},
		"unknown but ignored": {config: "IgnoreUnknown Prot\n" + right + " Prot 22\n"},
	}
	for name, c := range all {
		c.config = l.filled(c.config)
		all[name] = c
	}
	return all
}

// filled replaces the capital words of a configuration.
func (l *sshLab) filled(text string) string {
	return strings.NewReplacer(
		"DIR", l.dir, "USER", l.user.Username, "AGENT", l.agent, "TARGETPORT", strconv.Itoa(l.target.Port),
		"GATEPORT", strconv.Itoa(l.gate.Port), "CERTPORT", strconv.Itoa(l.certified.Port),
	).Replace(text)
}
