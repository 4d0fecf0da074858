# Whether the kernel has what the overlay's datapath needs. $1 is the datapath.
bad=fail
[ "$1" = netdev ] && bad=note
missing=
for name in openvswitch geneve; do
	if ! [ -d "/sys/module/$name" ] && ! modprobe -n -q "$name" 2>/dev/null; then
		missing="$missing $name"
	fi
done
if [ -n "$missing" ]; then
	echo "$bad the kernel $(uname -r) has no module$missing"
else
	echo "ok openvswitch and geneve"
fi
