# health.sh PORT [PATH]: fails unless something answers at a port of this container, by HTTP with
# success where there is a PATH. It takes the programs that there are.
port=$1 path=${2-}
has() { command -v "$1" >/dev/null 2>&1; }
if [ -n "$path" ] && has wget; then
	exec wget -q -O /dev/null "http://127.0.0.1:$port$path"
elif [ -n "$path" ] && has curl; then
	exec curl --silent --fail --output /dev/null "http://127.0.0.1:$port$path"
elif [ "$port" = 53 ] && has dig; then
	exec dig +time=5 +tries=1 @127.0.0.1 localhost
fi
# shellcheck disable=SC2016 # for bash
exec bash -euc 'exec 3<>"/dev/tcp/127.0.0.1/$0"
[ -n "$1" ] || exit 0
printf "GET %s HTTP/1.0\r\n\r\n" "$1" >&3
read -r _ code _ <&3
[ "$code" = 200 ]' "$port" "$path"
