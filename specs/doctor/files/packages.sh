# Whether the packages in the arguments are installed, or can be.
if ! command -v dpkg-query >/dev/null; then
	echo "fail there is no dpkg: $(. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME" || uname -s)"
	exit
fi
later='' missing=''
for name; do
	if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ]; then
		continue
	fi
	if apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then
		later="$later $name"
	else
		missing="$missing $name"
	fi
done
if [ -n "$missing" ]; then
	echo "fail not installed, and in no package source:$missing"
elif [ -n "$later" ]; then
	echo "note a run will install:$later"
else
	echo "ok all $# are installed"
fi
