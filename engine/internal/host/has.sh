# Prints what the machine is and has of a cluster, each part after a line that names it. The
# arguments are the owner's folder, the name of the record in it, the cluster's name, and a script
# for each driver, which prints a line for each node that is there: its name and its owner's mark.
id='' boot=''
{ read -r id </etc/machine-id; read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
printf '\n= machine\n%s\n%s\n' "$id" "$boot"
cd -- "$1" 2>/dev/null || exit 0
record=$2
cluster=$3
shift 3
if [ -f owned/instance.json ]; then
	printf '\n= instance\n'
	cat owned/instance.json
fi
if [ -f "$record" ]; then
	printf '\n= record\n'
	cat -- "$record"
fi
for script; do
	printf '\n= nodes\n'
	sh -c "$script" nodes "$cluster" </dev/null || printf '\n= untold\n'
done
