set -e
base=$1; shift
mount --make-rprivate /
mount -t tmpfs kinit-test "$base"
mkdir "$base/upper" "$base/work" "$base/root"
(umask 022; mkdir -p "$base/upper/var/lib"); mknod "$base/upper/var/lib/kinit" c 0 0 # hides the machine's
mount -t overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" overlay "$base/root"
for part in proc sys dev; do mount --rbind "/$part" "$base/root/$part"; done
for part in run tmp; do mount -t tmpfs "$part" "$base/root/$part"; done
for part; do mkdir -p "$base/root$part"; mount --bind "$part" "$base/root$part"; done
mkdir -m 0700 "$base/root/var/lib/kinit"
tr -d - </proc/sys/kernel/random/uuid >"$base/root/etc/machine-id"
if [ $$ = 1 ]; then mount -t proc proc "$base/root/proc"; mount -t tmpfs shm "$base/root/dev/shm"; fi
exec 3<&0; exec chroot "$base/root" sh -c 'echo ready; cat <&3 & wait $!'
