# Prints what the machine is and has of a cluster, each part after a line that names it. The arguments
# are the owner's folder, the name of the record in it, the cluster's name, and two for each driver: when
# it is asked, and a script that prints a line for each node that is there: its name and its owner's mark. A
# driver that is asked "late" is asked only where no record says which driver made the nodes.
id='' boot=''
{ read -r id </etc/machine-id; read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
printf '\n= machine\n%s\n%s\n' "$id" "$boot"
cd -- "$1" 2>/dev/null || exit 0
record=$2
cluster=$3
shift 3
[ -d owned ] && printf '\n= marks\n'
if [ -f owned/instance.json ]; then
	printf '\n= instance\n'
	cat owned/instance.json
fi
late=yes
if [ -f "$record" ]; then
	printf '\n= record\n'
	cat -- "$record"
	grep -q '^  "version": [2-9]' "$record" && late=
fi
at=0
while [ $# -gt 1 ]; do
	if [ "$1" = always ] || [ -n "$late" ]; then
		printf '\n= nodes %s\n' "$at"
		sh -c "$2" nodes "$cluster" </dev/null || printf '\n= untold %s\n' "$at"
	fi
	at=$((at + 1))
	shift 2
done
