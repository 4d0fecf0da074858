printf '%s%s\n' "$1" $$
l=$(dd bs="$2" count=1 iflag=fullblock 2>/dev/null)
case $l in
*"$1") l=${l%"$1"}; set --; eval "$l" ;;
*) exit 125 ;;
esac
