# Fails unless a guest of type $1 (kvm, qemu) starts here and runs 64-bit code within $2
# seconds (60 by default).
#
# The device /dev/kvm proves nothing, and neither does a guest that only runs its firmware: in
# a virtual machine, KVM may interpret each instruction of a kernel, which then never
# finishes booting. This guest switches to 64-bit mode with paging and writes to memory 2^26
# times. Hardware does that in a tenth of a second, QEMU's emulation in less than one, and an
# interpreting KVM needs two minutes.
case $1 in
kvm) accelerator=kvm cpu=host ;;
*) accelerator=tcg cpu=max ;;
esac
image=$(mktemp) || exit 1
trap 'rm -f "$image"' EXIT
# The guest is a boot sector, assembled from:
#
#   .code16
#     cli
#     xorw %ax, %ax               # segments, and three cleared pages from 0x1000
#     movw %ax, %ds
#     movw %ax, %es
#     movw $0x1000, %di
#     movw $0x1800, %cx
#     cld
#     rep stosw
#     movw $0x2003, 0x1000        # the first 2 MiB in a page table of four levels
#     movw $0x3003, 0x2000
#     movw $0x0083, 0x3000
#     movl $0x1000, %eax
#     movl %eax, %cr3
#     movl $0x20, %eax            # CR4.PAE
#     movl %eax, %cr4
#     movl $0xc0000080, %ecx      # EFER.LME
#     rdmsr
#     orw  $0x100, %ax
#     wrmsr
#     movl $0x80000001, %eax      # CR0.PG and CR0.PE
#     movl %eax, %cr0
#     lgdtl gdt_size
#     ljmpl $8, $long
#   .code64
#   long:
#     movl $0x4000000, %ecx       # 2^26 writes to memory
#   1: movq %rcx, 0x8000
#     decl %ecx
#     jnz  1b
#     movb $0x10, %al             # ends QEMU with the code 33
#     outb %al, $0xf4
#   2: hlt
#     jmp 2b
#   gdt: .quad 0, 0x00209a0000000000
#   gdt_size: .word 15
#     .long gdt
{
  printf '\372\061\300\216\330\216\300\277\000\020\271\000\030\374\363\253'
  printf '\307\006\000\020\003\040\307\006\000\040\003\060\307\006\000\060\203\000\146\270\000\020\000\000'
  printf '\017\042\330\146\270\040\000\000\000\017\042\340\146\271\200\000\000\300\017\062\015\000\001\017\060'
  printf '\146\270\001\000\000\200\017\042\300\146\017\001\026\200\174\146\352\130\174\000\000\010\000'
  printf '\271\000\000\000\004\110\211\014\045\000\200\000\000\377\311\165\364'
  printf '\260\020\346\364\364\353\375\000\000\000\000\000\000\000\000\000\000\000\000\000\232\040\000\017\000\160\174\000\000'
} >"$image"
truncate -s 510 "$image" && printf '\125\252' >>"$image"
# RHEL has the program elsewhere and under another name.
qemu=$(command -v qemu-system-x86_64 || echo /usr/libexec/qemu-kvm)
output=$(timeout -k 5 "${2:-60}" "$qemu" -accel "$accelerator" -cpu "$cpu" -m 64 -display none -nodefaults \
  -device isa-debug-exit,iobase=0xf4,iosize=1 -drive "file=$image,format=raw,if=ide,snapshot=on" 2>&1)
code=$?
[ "$code" -eq 33 ] && exit 0
[ -z "$output" ] || echo "$output" >&2
if [ "$1" = kvm ]; then
  if [ ! -e /dev/kvm ]; then
    found="there is no /dev/kvm"
  elif [ "$code" -eq 124 ]; then
    found="a guest that uses /dev/kvm does not finish in ${2:-60} s what takes a second without it"
  else
    found="there is /dev/kvm, but a guest did not start with it"
  fi
  echo "$found (exit code $code). Enable virtualisation in the firmware and load kvm_intel or kvm_amd, or set the variable virt_type to \"qemu\" to emulate in software." >&2
else
  echo "an emulated guest did not start (exit code $code)." >&2
fi
exit 1
