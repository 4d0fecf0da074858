#!/bin/sh
# Runs in each pod of the sample: looks up a name of the cluster and fetches the page of
# every pod.
exec 2>/dev/null
printf 'Content-Type: text/plain\r\n\r\n'
name=kubernetes.default.svc.cluster.local
nslookup "$name" | grep -A 9 '^Name:' | grep -q '^Address' || { echo "$NODE: $name is not resolved"; exit 0; }
count=0
for pod in $(nslookup pods.kinit-sample.svc.cluster.local | awk '/^Name:/ { named = 1 } named && /^Address/ { print $NF }' | sort -u); do
	timeout 15 wget -q -O - "http://$pod:8080/" >/dev/null || { echo "$NODE: no answer from the pod $pod"; exit 0; }
	count=$((count + 1))
done
echo "$NODE reaches $count pods"
