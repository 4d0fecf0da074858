# Fails when a guest of type $1 (kvm, qemu) cannot start here. It starts one whose only
# instructions end QEMU, by writing 0x10 to its debug port, which makes exit code 33.
# A device /dev/kvm alone proves nothing.
case $1 in
kvm) accelerator=kvm cpu=host ;;
*) accelerator=tcg cpu=max ;;
esac
image=$(mktemp) || exit 1
trap 'rm -f "$image"' EXIT
# mov al, 0x10; out 0xf4, al; hlt; and the signature of a boot sector.
printf '\260\020\346\364\364' >"$image"
truncate -s 510 "$image" && printf '\125\252' >>"$image"
# RHEL has the program elsewhere and under another name.
qemu=$(command -v qemu-system-x86_64 || echo /usr/libexec/qemu-kvm)
output=$(timeout "${2:-60}" "$qemu" -accel "$accelerator" -cpu "$cpu" -m 64 -display none -nodefaults \
  -device isa-debug-exit,iobase=0xf4,iosize=1 -drive "file=$image,format=raw,if=ide,snapshot=on" 2>&1)
code=$?
[ "$code" -eq 33 ] && exit 0
[ -z "$output" ] || echo "$output" >&2
if [ "$1" = kvm ]; then
  [ -e /dev/kvm ] && found="there is /dev/kvm, but a guest did not start with it" || found="there is no /dev/kvm"
  echo "$found (exit code $code). Enable virtualisation in the firmware and load kvm_intel or kvm_amd, or set the variable virt_type to \"qemu\" to emulate in software." >&2
else
  echo "an emulated guest did not start (exit code $code)." >&2
fi
exit 1
