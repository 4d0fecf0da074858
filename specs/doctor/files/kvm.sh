# Whether KVM makes a virtual machine: asked of the kernel, because the device may be
# there and useless. $1 is the domain type.
bad=fail
[ "$1" = qemu ] && bad=note
if ! [ -e /dev/kvm ]; then
	echo "$bad there is no /dev/kvm"
	exit
fi
if ! command -v perl >/dev/null; then
	if (exec 3<>/dev/kvm) 2>/dev/null; then
		echo "ok /dev/kvm opens; without perl no more can be asked of it"
	else
		echo "$bad /dev/kvm does not open"
	fi
	exit
fi
# KVM_GET_API_VERSION and KVM_CREATE_VM of linux/kvm.h.
if said=$(perl -e '
	open(my $kvm, "+<", "/dev/kvm") or die "it does not open: $!\n";
	my $version = ioctl($kvm, 0xAE00, 0) or die "it tells no version: $!\n";
	ioctl($kvm, 0xAE01, 0) or die "it makes no virtual machine: $!\n";
	print $version;
' 2>&1); then
	echo "ok /dev/kvm makes virtual machines (version $said of its interface)"
else
	echo "$bad /dev/kvm is there, but $said"
fi
