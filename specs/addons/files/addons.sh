# addons.sh check|remove [ADDON...]
# check fails when the cluster has objects of other addons than these; remove deletes them. Objects
# name their addon in the label kinit/addon; KUBECONFIG says which cluster. Storage that volumes were
# made from stays, and so does all else of its addon: without it nothing would delete these volumes.
set -eu
verb=$1
shift
kept=$(IFS=,; echo "$*")
others="kinit/addon${kept:+,kinit/addon notin ($kept)}"
# In this order: first what the API server would ask, and what uses other objects.
kinds=apiservices,ingresses,ingressclasses,deployments,daemonsets,persistentvolumeclaims,services,configmaps
kinds=$kinds,storageclasses,csidrivers,rolebindings,roles,clusterrolebindings,clusterroles,serviceaccounts,namespaces

has=$(kubectl get "$kinds" --all-namespaces --selector "$others" --output name)
[ -n "$has" ] || exit 0
# shellcheck disable=SC2086 # a list of names
[ "$verb" = remove ] || { echo "others than the chosen addons made" $has; exit 1; }

# volumes CLASS [of-samples]: the volumes of a storage class, but those of samples.
volumes() {
	kubectl get persistentvolumes --output "jsonpath={range .items[?(@.spec.storageClassName==\"$1\")]}{.metadata.name} {.spec.claimRef.namespace}/{.spec.claimRef.name}
{end}" | grep -v ' kinit-sample/' || true
}
for class in $(kubectl get storageclasses --selector "$others" --output name); do
	class=${class#*/}
	used=$(volumes "$class")
	[ -z "$used" ] || {
		echo "the addon $class has volumes that it made for claims, and is not removed while they are there; delete the claims, or choose the addon again:" >&2
		echo "$used" >&2
		exit 1
	}
done

# The samples' volumes go while there is somebody who deletes them.
kubectl delete deployments,persistentvolumeclaims --namespace kinit-sample --selector "$others" --ignore-not-found
for class in $(kubectl get storageclasses --selector "$others" --output name); do
	tries=0
	while kubectl get persistentvolumes --output "jsonpath={.items[?(@.spec.storageClassName==\"${class#*/}\")].metadata.name}" | grep -q .; do
		tries=$((tries + 1))
		[ "$tries" -lt 120 ] || { echo "the sample's volume of ${class#*/} is still there" >&2; exit 1; }
		sleep 1
	done
done
kubectl delete "$kinds" --all-namespaces --selector "$others" --ignore-not-found
