#!/bin/sh
# Runs in the pod that is asked from outside: has every pod check the others, and says
# whether all could.
exec 2>/dev/null
printf 'Content-Type: text/plain\r\n\r\n'
pods=$(nslookup pods.kinit-sample.svc.cluster.local | awk '/^Name:/ { named = 1 } named && /^Address/ { print $NF }' | sort -u)
[ -n "$pods" ] || { echo "$NODE: pods.kinit-sample.svc.cluster.local has no address"; exit 0; }
said=$(for pod in $pods; do
	{ timeout 25 wget -q -O - "http://$pod:8080/cgi-bin/one" || echo "$NODE: the pod $pod does not answer"; } &
done; wait)
echo "$said"
wanted=$(echo "$pods" | wc -l)
[ "$(echo "$said" | grep -c " reaches $wanted pods$")" != "$wanted" ] || echo "all $wanted pods reach each other"
