# Tries whether a guest runs under this machine's KVM, in a container of the hypervisors' image,
# and writes one line to $KINIT_RESULT: the boot id, the digest of the trial, and kvm or qemu.
set -eu
result=qemu
if [ -e /dev/kvm ] && podman run --rm --runtime "$KINIT_RUNTIME" --network none --cgroups=disabled --device /dev/kvm \
	--entrypoint /bin/sh "$KINIT_IMAGE" -c "$KINIT_TRIAL" trial kvm 20; then
	result=kvm
fi
echo "$(cat /proc/sys/kernel/random/boot_id) $KINIT_DIGEST $result" >"$KINIT_RESULT.part"
mv "$KINIT_RESULT.part" "$KINIT_RESULT"
