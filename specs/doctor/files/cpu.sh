# Whether the processor can run guests. One that hides its flags may do so; whether it
# does is the next probe's matter.
machine=$(uname -m)
if [ "$machine" != x86_64 ]; then
	echo "fail the machine is $machine, and guests are x86_64"
	exit
fi
count=$(grep -c '^processor' /proc/cpuinfo)
flag=$(grep -m 1 -o -w -E 'vmx|svm' /proc/cpuinfo | head -n 1)
if [ -n "$flag" ]; then
	echo "ok $count processors with $flag"
else
	echo "note $count processors, and none with vmx or svm"
fi
