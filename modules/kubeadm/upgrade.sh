# upgrade FROM TO: gives the programs of Kubernetes from one folder to the other, each in one piece. The
# kubelet is the last one. The checksum of a download, which is beside it, follows where the old
# program has one. What was done before is left alone.
set -e
for name in kubectl kubeadm kubelet; do
	if [ -e "$2/$name.kinit-sum" ] && [ -e "$1/$name.kinit-sum" ]; then
		cp -fp "$1/$name.kinit-sum" "$2/$name.kinit-sum"
	fi
	[ "$1/$name" -ef "$2/$name" ] && continue
	rm -f "$2/.$name.kinit"
	cp -pl "$1/$name" "$2/.$name.kinit" 2>/dev/null || cp -p "$1/$name" "$2/.$name.kinit"
	mv -fT "$2/.$name.kinit" "$2/$name"
done
