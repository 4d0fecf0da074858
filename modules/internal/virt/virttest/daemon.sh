# Runs libvirtd with folders of its own: $1 is a folder for its files, $2 a bridge, $3 a
# script that prepares the folders.
dir=$1
mount --make-rprivate /
mount -t proc proc /proc
# Debian's libvirt insists on its user, which another package makes.
cp /etc/passwd /etc/group "$dir/"
echo 'libvirt-qemu:x:64055:64055::/nonexistent:/usr/sbin/nologin' >>"$dir/passwd"
echo 'libvirt-qemu:x:64055:' >>"$dir/group"
mount --bind "$dir/passwd" /etc/passwd
mount --bind "$dir/group" /etc/group
eval "$3"
# Devices without KVM: no test may depend on whether the machine has it.
mkdir "$dir/dev"
mount -t tmpfs dev "$dir/dev"
mkdir "$dir/dev/pts" "$dir/dev/shm" "$dir/dev/net"
for device in null zero full random urandom tty net/tun; do
	touch "$dir/dev/$device"
	mount --bind "/dev/$device" "$dir/dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$dir/dev/pts"
ln -s pts/ptmx "$dir/dev/ptmx"
ln -s /proc/self/fd "$dir/dev/fd"
mount --move "$dir/dev" /dev
ip link set lo up
ip link add "$2" type bridge
ip link set "$2" up
cat >"$dir/libvirtd.conf" <<CONF
unix_sock_dir = "$dir"
auth_unix_rw = "none"
CONF
touch /run/libvirt/libvirt-sock
# This shell stays, as the init that guests which daemonised are inherited by: a
# libvirtd in its place would wait for zombies.
libvirtd -f "$dir/libvirtd.conf" -p "$dir/pid" &
wait $!
