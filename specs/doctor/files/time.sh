# Whether the clock is right. $HERE is what it is on the machine that asks, in seconds
# since 1970; a slow host is not a wrong one.
off=$(($(date +%s) - HERE))
[ "$off" -lt 0 ] && off=$((-off))
if [ "$off" -gt 60 ]; then
	echo "fail the clock is $off seconds off"
elif [ "$(timedatectl show --property NTPSynchronized --value 2>/dev/null)" = yes ]; then
	echo "ok synchronised"
else
	echo "note right, and nothing says that it is kept so"
fi
