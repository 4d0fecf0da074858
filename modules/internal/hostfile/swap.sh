cd -P -- "$4" && [ "$(pwd -P)" = "$4" ] || { echo "$4 leads through a link that another user can change" >&2; exit 1; }
exec 9<. && flock 9 || exit 1
sum=
if [ -L "./$1" ]; then echo "$4/$1 is a link" >&2; exit 1; fi
if [ -e "./$1" ]; then sum=$(dd "if=./$1" bs=64k iflag=nofollow,nonblock status=none | sha256sum) && sum=${sum%% *} || exit 1; fi
[ "$sum" = "$3" ] || exit 75
if [ -z "$2" ]; then exec rm -f -- "./$1"; fi
if [ -n "$sum" ]; then
	mode=$5
	case $(stat -c %a "./$1") in *"$mode") mode= ;; esac
	keep "./$1" "./$2" "$mode"
fi
exec mv -fT -- "./$2" "./$1"
