# Whether a firewall is active whose rules kinit can add to.
seen=
if command -v firewall-cmd >/dev/null && [ "$(firewall-cmd --state 2>/dev/null)" = running ]; then
	seen="$seen firewalld"
fi
if command -v ufw >/dev/null && LC_ALL=C ufw status 2>/dev/null | grep -q '^Status: active'; then
	seen="$seen ufw"
fi
chains=
if command -v nft >/dev/null; then
	chains=$(nft list chains 2>/dev/null | awk '$1 == "table" { table = $2 " " $3 } /hook (input|forward) .*policy drop/ { print table }' | sort -u)
fi
case "$chains$seen" in
'') echo "ok there is none" ;;
*' ufw'* | *firewalld*) echo "ok$seen is active; a run lets the cluster's packets pass" ;;
*'ip filter'*) echo "note iptables drops packets without ufw or firewalld" ;;
*) echo "ok nftables drops packets; a run lets the cluster's pass" ;;
esac
