#!/bin/bash
# etcd-health: what the member of etcd on this node says of itself, a word and its value a line. It
# answers on an address of this node alone, and to everybody. Without an answer nothing is printed.
ask() {
	exec 3<>/dev/tcp/127.0.0.1/2381 || return
	printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3
	cat <&3
	exec 3<&-
}
{
	ask /health | tr -d '\r' | sed -n 's/.*"health" *: *"\([a-z]*\)".*/health \1/p'
	echo
	ask /metrics | sed -n \
		-e 's/^etcd_server_id{server_id="\([0-9a-f]*\)"} 1$/id \1/p' \
		-e 's/^etcd_server_version{server_version="\([0-9a-z.-]*\)"} 1$/version \1/p' \
		-e 's/^etcd_server_is_leader \([01]\)$/leader \1/p' \
		-e 's/^etcd_server_is_learner \([01]\)$/learner \1/p' \
		-e 's/^etcd_mvcc_db_total_size_in_bytes \([0-9.e+]*\)$/bytes \1/p' \
		-e 's/^etcd_network_active_peers{Local="[0-9a-f]*",Remote="\([0-9a-f]*\)"} \([0-9]*\)$/peer-\1 \2/p'
} 2>/dev/null
exit 0
