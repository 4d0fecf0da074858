# Prints the zone of the interface $1, or the default zone if it has none of its own.
if [ -n "$1" ] && zone=$(firewall-cmd --get-zone-of-interface="$1" 2>/dev/null); then
	echo "$zone"
else
	firewall-cmd --get-default-zone
fi
