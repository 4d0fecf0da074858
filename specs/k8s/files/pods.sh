# Fetches the page of every pod of the sample from inside every other one.
export KUBECONFIG=/etc/kubernetes/admin.conf
pods=$(kubectl --namespace kinit-sample get pods --selector app=sample --field-selector status.phase=Running \
	--output 'jsonpath={range .items[*]}{.metadata.name}={.status.podIP}{"\n"}{end}')
[ -n "$pods" ] || { echo "no pod of the sample is running" >&2; exit 1; }
for from in $pods; do
	urls=$(for to in $pods; do printf 'timeout 15 wget -O - http://%s:8080/ 2>/dev/null && ' "${to#*=}"; done)
	kubectl --namespace kinit-sample exec "${from%%=*}" -- sh -c "$urls true"
done
echo "all pods reach each other"
