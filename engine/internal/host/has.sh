# Prints what the machine has of a cluster, each part after a line that names it. The arguments
# are the owner's folder, the name of the record in it, the cluster's name, and a script for each
# driver, which prints a line for each node that is there: its name and its owner's mark.
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
