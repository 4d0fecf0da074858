# Whether $1 GiB of memory are free.
free=$(awk '/^MemAvailable:/ { printf "%d", $2 / 1048576 }' /proc/meminfo)
all=$(awk '/^MemTotal:/ { printf "%d", $2 / 1048576 }' /proc/meminfo)
if [ "$free" -ge "$1" ]; then
	echo "ok $free of $all GiB free"
else
	echo "fail $free of $all GiB free, and guests need $1 GiB or more"
fi
