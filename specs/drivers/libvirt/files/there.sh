# Lists the guests of all clusters on this hypervisor, and the mark of whose each is. A clone of a
# guest has the mark too, and another UUID than the mark says.
command -v virsh >/dev/null || exit 0
export LIBVIRT_DEFAULT_URI=qemu:///system
names=$(virsh list --all --name) || exit 1
printf '%s\n' "$names" | while IFS= read -r name; do
	[ -n "$name" ] || continue
	virsh dumpxml "$name" | sed -n \
		-e 's/^  <uuid>\(.*\)<\/uuid>$/uuid \1/p' \
		-e 's/^ *<kinit:domain .*owner="\([^"]*\)" uuid="\([^"]*\)".*/mark \2 \1/p' |
		{
			uuid='' mark='' whose=''
			while read -r what id owner; do
				case $what in
				uuid) uuid=$id ;;
				mark) mark=$id whose=$owner ;;
				esac
			done
			[ -z "$mark" ] || [ "$uuid" != "$mark" ] || echo "$name $whose"
		}
done
