uid=$1 gid=$2; shift 2; cd /
HOME=$(getent passwd "$uid" | cut -d: -f6) groups=--init-groups
[ -n "$HOME" ] || HOME=/nonexistent groups=--clear-groups
export HOME
exec setpriv --reuid="$uid" --regid="$gid" "$groups" -- "$@"
