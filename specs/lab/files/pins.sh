# What the scripts take from elsewhere, or name after what is there: the pins that ship with kinit.
# Sourced, with $here set. The playbook puts the list beside the scripts; by hand it is where it ships.
pins=$here/pins.json
[ -f "$pins" ] || pins=$here/../../pins.json

# pinned NAME FIELD: the version, image or url of a pin.
pinned() {
	pinned_value=$(awk -v name="\"$1\":" -v field="\"$2\":" '
		$1 == name && $2 == "{" { inside = 1; next }
		inside && $1 ~ /^}/ { exit }
		inside && $1 == field { gsub(/^[^:]*: *"|",? *$/, ""); print; exit }' "$pins")
	[ -n "$pinned_value" ] || { echo "$pins has no $2 of $1" >&2; return 1; }
	echo "$pinned_value"
}

# The site of Debian's archive, whose signatures apt verifies: where a source of it is from.
debian=$(pinned busybox_source url)
debian=${debian%%/pool/*}
