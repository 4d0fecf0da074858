exec 9</etc && flock 9 || exit 1
sum=$(crontab -u "$1" -l 2>/dev/null | sha256sum) || exit 1
[ "${sum%% *}" = "$2" ] || exit 75
if [ -z "$3" ]; then exec crontab -u "$1" -r; fi
exec crontab -u "$1" -
