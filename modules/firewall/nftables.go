package firewall

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/modules/internal/activefirewall"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/nft"
)

//go:embed nftables-remove.sh
var nftablesRemove string

// nftables inserts the rule at the beginning of each chain of its direction that drops what no
// rule accepts. Each chain is a part, as "family table name".
type nftables struct {
	zoneless
	chains []activefirewall.Chain
}

func (n nftables) parts(ctx context.Context, _ module.Host, r rule) ([]string, error) {
	hook := map[string]string{"in": "input", "forward": "forward"}[r.Direction]
	other := map[string]string{"ipv4": "ip6", "ipv6": "ip"}[r.family()]
	var parts []string
	for _, c := range n.chains {
		if c.Hook == hook && c.Family != other {
			parts = append(parts, strings.Join([]string{c.Family, c.Table, c.Name}, " "))
		}
	}
	return parts, ctx.Err()
}

// missing looks for the rule's comment in each chain, and for the file and the unit that
// insert it at boot.
func (n nftables) missing(ctx context.Context, h module.Host, r rule, parts []string, marked bool) ([]string, error) {
	for name, want := range r.bootFiles(parts) {
		text, _, err := hostfile.Read(ctx, h, name)
		if err != nil {
			return nil, err
		}
		if marked && text != want && len(parts) > 0 {
			return parts, nil
		}
	}
	var gone []string
	for _, part := range parts {
		text, err := nft.Run(ctx, h, "", append([]string{"list", "chain"}, strings.Fields(part)...)...)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(text, r.nftComment()) {
			gone = append(gone, part)
		}
	}
	return gone, nil
}

// nftComment is the end of the rule in nft's output.
func (r rule) nftComment() string { return fmt.Sprintf("comment %q", "kinit "+r.hash()) }

func (r rule) nftRule() string {
	var words []string
	add := func(value string, format string) {
		if value != "" {
			words = append(words, fmt.Sprintf(format, value))
		}
	}
	protocol := map[string]string{"ipv4": "ip", "ipv6": "ip6"}[r.family()]
	add(r.Interface, "iifname %q")
	add(r.Out, "oifname %q")
	add(r.Source, protocol+" saddr %s")
	add(r.Destination, protocol+" daddr %s")
	switch {
	case len(r.Ports) > 0:
		add(strings.Join(r.Ports, ", "), r.Protocol+" dport { %s }")
	case r.Protocol != "any":
		add(r.Protocol, "meta l4proto %s")
	}
	return strings.Join(append(words, "accept", r.nftComment()), " ")
}

const bootFolder = "/etc/kinit/firewall"

func (r rule) bootScript() string { return bootFolder + "/" + r.hash() + ".sh" }
func (r rule) unit() string       { return "kinit-firewall-" + r.hash() + ".service" }

// bootFiles returns the script that inserts the rule into chains where it is missing, and its
// unit. A restart of nftables.service empties the chains, so the unit restarts with it.
func (r rule) bootFiles(parts []string) map[string]string {
	script := "# " + r.String() + "; made by kinit, run by " + r.unit() + ".\nset -e\n"
	for _, part := range parts {
		script += fmt.Sprintf("nft list chain %s | grep -qF %s || nft %s\n", part, shell.POSIX(r.nftComment()), shell.POSIX("insert rule "+part+" "+r.nftRule()))
	}
	return map[string]string{
		r.bootScript(): script,
		"/etc/systemd/system/" + r.unit(): `[Unit]
Description=A rule of kinit in the host's firewall
After=nftables.service
PartOf=nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh ` + r.bootScript() + `

[Install]
WantedBy=multi-user.target
`}
}

func (n nftables) add(ctx context.Context, h module.Host, r rule, _ []string) error {
	parts, err := n.parts(ctx, h, r)
	if err != nil {
		return err
	}
	if err := h.Files().Mkdir(ctx, bootFolder, module.Attr{Mode: 0o755}); err != nil {
		return fmt.Errorf("make folder %s: %w", bootFolder, err)
	}
	for name, text := range r.bootFiles(parts) {
		if err := hostfile.Write(ctx, h, name, text, module.Attr{Mode: 0o644}); err != nil {
			return err
		}
	}
	// Without a systemd that runs, as in a container, the rule is there until the next start.
	const insert = `sh "$1" && systemctl enable "$2" && { ! [ -d /run/systemd/system ] || systemctl restart "$2"; }`
	_, err = script(ctx, h, "insert the rule into nftables", insert, "add", r.bootScript(), r.unit())
	return err
}

func (nftables) remove(ctx context.Context, h module.Host, r rule, parts []string) error {
	args := append([]string{"remove", r.unit(), r.nftComment()}, parts...)
	if _, err := script(ctx, h, "remove the rule from nftables", nftablesRemove, args...); err != nil {
		return err
	}
	for name := range r.bootFiles(nil) {
		if err := cmp.Or(h.Files().Remove(ctx, name), hostfile.DropTemporaries(ctx, h, name)); err != nil {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	// Others may have files in the folder.
	_, err := script(ctx, h, "remove empty folders", `rmdir "$1" "${1%/*}" 2>/dev/null || :`, "rmdir", bootFolder)
	return err
}
