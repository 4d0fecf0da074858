# Whether libvirt answers.
if ! command -v virsh >/dev/null; then
	echo "note there is no libvirt yet; a run will install it"
	exit
fi
if said=$(timeout 20 virsh --connect qemu:///system version --daemon 2>&1); then
	echo "ok $(echo "$said" | awk -F ': ' '/daemon/ { print "libvirt " $2 }')"
else
	echo "fail it does not answer: $(echo "$said" | tail -n 1)"
fi
