# Fails when an address of network $1 is on a device of this host other than $2, which
# is the cluster's own.
ip -4 -o address show to "$1" | awk -v own="$2" -v network="$1" '
  $2 != own { devices = devices " " $2 " (" $4 ")" }
  END {
    if (!devices) exit 0
    print "network " network " is in use:" devices ". Give the cluster another one by the variable network_cidr."
    exit 1
  }' >&2
