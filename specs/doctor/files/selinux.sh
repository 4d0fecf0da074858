# Whether SELinux can deny something.
case $(cat /sys/fs/selinux/enforce 2>/dev/null) in
1) echo "note it enforces its policy" ;;
0) echo "ok it is permissive" ;;
*) echo "ok the kernel has none" ;;
esac
