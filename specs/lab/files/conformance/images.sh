# The test images. Sourced by build-conformance.sh; $work/wanted has the names that the
# suite itself gives.
path='"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'
agnhost="$path,\"Entrypoint\":[\"/agnhost\"]"

# wanted IMAGE: the name of an image with the tag that the suite wants.
wanted() { grep -F "/$1:" "$work/wanted" | head -n 1; }

# The label tells images apart that are the same otherwise: a runtime calls them all by the
# name of one.
image() {
	image_name=$1 image_config="{\"Labels\":{\"name\":\"$1\"},${2#?}"
	shift 2
	oci_image "$image_name" "$image_config" "$@"
	set -- "$image_name"
	echo "$1" >>"$layout/images.txt"
	say "$1"
}

# missing REASON NAME...: images that cannot be made here.
missing() {
	missing_why=$1
	shift
	for missing_name in "$@"; do printf '%s\t%s\n' "$missing_name" "$missing_why" >>"$layout/missing.txt"; done
}

: >"$layout/missing.txt"
while read -r name; do
	case "$name" in
	registry.k8s.io/e2e-test-images/agnhost:*) image "$name" "{$agnhost,\"Cmd\":[\"pause\"]}" debian agnhost ;;
	registry.k8s.io/e2e-test-images/busybox:*) image "$name" "{$path,\"Cmd\":[\"sh\"]}" busybox ;;
	*/nginx:*) image "$name" "{$path,\"Cmd\":[\"nginx\"]}" debian nginx ;;
	*/httpd:*) image "$name" "{$path,\"Cmd\":[\"httpd-foreground\"]}" debian httpd ;;
	*/jessie-dnsutils:* | */ipc-utils:* | */perl:*) image "$name" "{$path,\"Cmd\":[\"bash\"]}" debian ;;
	*/kitten:*) image "$name" "{$agnhost,\"Cmd\":[\"test-webserver\"]}" debian agnhost kitten ;;
	*/nautilus:*) image "$name" "{$agnhost,\"Cmd\":[\"test-webserver\"]}" debian agnhost nautilus ;;
	*/nonewprivs:*) image "$name" "{$path,\"Cmd\":[\"nnp\"]}" debian nonewprivs ;;
	*/nonroot:*) image "$name" "{$path,\"User\":\"1234\",\"Cmd\":[\"bash\"]}" debian ;;
	*/regression-issue-74839:*) image "$name" "{$path,\"Entrypoint\":[\"/regression-issue-74839\"]}" debian regression ;;
	*/resource-consumer:*) image "$name" "{$path,\"Entrypoint\":[\"/consumer\"]}" debian consumer ;;
	*/sample-apiserver:*) image "$name" "{$path,\"Entrypoint\":[\"/sample-apiserver\"]}" apiserver ;;
	# A later etcd than the name says: that of the cluster.
	registry.k8s.io/etcd:*) image "$name" "{$path,\"Entrypoint\":[\"etcd\"]}" etcd ;;
	registry.k8s.io/pause:*) ;; # among the cluster's own
	invalid.registry.k8s.io/*) missing "it does not exist: tests want a pull that fails" "$name" ;;
	gcr.io/*) missing "they are in registries that ask for a password" "$name" ;;
	registry.k8s.io/sig-storage/* | registry.k8s.io/cloud-provider-gcp/*) missing "storage drivers, which have sources of their own beside Kubernetes" "$name" ;;
	*/volume/*) missing "file servers of the kernel, which nodes of a lab share with their machine" "$name" ;;
	*/node-perf/*) missing "benchmarks that are not in Debian" "$name" ;;
	*/apparmor-loader:*) missing "nodes of a lab share their machine's kernel, whose profiles are not theirs to load" "$name" ;;
	*/distroless-iptables:*) missing "it is the base of kube-proxy's real image, and nothing runs in it" "$name" ;;
	esac
done <"$work/wanted"
