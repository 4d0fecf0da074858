# keep gives the new file $2 the access control list, extended attributes, SELinux context and mode of the
# file $1, and then the mode $3 if that is not empty.
keep() {
	[ -f "$1" ] && [ ! -L "$1" ] || return 0
	context=
	[ ! -e /sys/fs/selinux/enforce ] || context=,context
	said=$(cp --attributes-only --no-dereference "--preserve=mode,xattr$context" -- "$1" "$2" 2>&1) || plain "$1" "$2"
	[ -z "$3" ] || chmod -- "$3" "$2" || exit 1
}
keepless() { echo "$1" >&2; exit 1; }
# plain is for a cp that failed: it may be none that copies attributes, and there may be none to copy.
plain() {
	if cp --attributes-only -- "$1" "$2" 2>/dev/null; then
		keepless "its access control list or extended attributes cannot be kept: $said"
	fi
	command -v getfattr >/dev/null || { chmod -- "$(stat -c %a "$1")" "$2" || exit 1; return 0; }
	[ -z "$(getfattr -h -m - -- "$1")" ] || keepless "it has an access control list or extended attributes, which the cp of this host cannot copy: install coreutils"
	chmod -- "$(stat -c %a "$1")" "$2" || exit 1
}
