enter "$1" "$1"
[ -d "./$2" ] && [ ! -L "./$2" ] || exec rm -f -- "./$2"
while read -r _ _ _ _ point _; do
	case $point in
	"$3" | "$3"/*) refuse "a file system is mounted at $point: unmount it first: Device or resource busy" ;;
	esac
done </proc/self/mountinfo
exec rm -rf -- "./$2"
