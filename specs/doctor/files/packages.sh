# Whether the packages in the arguments are installed, or can be. Without any, the system is none that
# kinit prepares.
if [ $# = 0 ]; then
	# shellcheck disable=SC1091
	echo "fail kinit does not prepare $(. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME" || uname -s)"
	exit
fi
installed() {
	if command -v dpkg-query >/dev/null; then
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
	else
		rpm --quiet --query --whatprovides "$1"
	fi
}
available() {
	if command -v apt-cache >/dev/null; then
		apt-cache show --no-all-versions "$1" >/dev/null 2>&1
	else
		[ -n "$(dnf --quiet --cacheonly repoquery --whatprovides "$1" 2>/dev/null || dnf --quiet repoquery --whatprovides "$1" 2>/dev/null)" ]
	fi
}
later='' missing=''
for name; do
	if installed "$name"; then
		continue
	elif available "$name"; then
		later="$later $name"
	else
		missing="$missing $name"
	fi
done
if [ -z "$missing" ] && [ -z "$later" ]; then
	echo "ok all $# are installed"
elif [ -z "$missing" ]; then
	echo "note a run will install:$later"
elif case $later in *' centos-release-'*) ;; *) false ;; esac; then
	echo "note a run will install:$later, and then from that repository:$missing"
else
	echo "fail not installed, and in no package source:$missing"
fi
