# The layers of the test images. Sourced by build-conformance.sh.
files=$programs/files

# minimal ROOT PACKAGES: files of packages without their database; nothing is configured.
minimal() {
	VARIANT=extract bootstrap "$1" "$2" true
	rm -rf "$1"/var/lib/dpkg "$1"/var/lib/apt "$1"/var/cache "$1"/usr/share/doc "$1"/etc/apt "$1"/dev "$1"/var/log
	mkdir -p "$1/tmp" "$1/root" "$1/dev" "$1/var/log" "$1/home"
	chmod 1777 "$1/tmp"
}

busybox=$work/busybox
mkdir -p "$busybox/bin" "$busybox/etc" "$busybox/home" "$busybox/root" "$busybox/usr/bin" "$busybox/var/log" "$busybox/dev" "$busybox/tmp"
chmod 1777 "$busybox/tmp"
install -m 755 "$programs/busybox" "$busybox/bin/busybox"
for applet in $("$programs/busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "$busybox/bin/$applet"; done
ln -s ../../bin/env "$busybox/usr/bin/env"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n' >"$busybox/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$busybox/etc/group"
oci_layer busybox "$busybox"

# One root of Debian's packages for all other images: a node loads it once.
debian=$work/debian
tools=bash,dash,coreutils,findutils,grep,sed,mawk,tar,gzip,hostname,procps,util-linux,bsdextrautils,debianutils,perl-base
minimal "$debian" "$tools,base-files,base-passwd,libc-bin,bind9-dnsutils,curl,netcat-openbsd,iproute2,iputils-ping,iperf,stress,nginx-light,apache2-bin,media-types"
# What the packages' scripts would have made.
cp "$debian/usr/share/base-passwd/passwd.master" "$debian/etc/passwd"
cp "$debian/usr/share/base-passwd/group.master" "$debian/etc/group"
for pair in sh:/bin/dash nc:/bin/nc.openbsd awk:/usr/bin/mawk; do ln -sf "${pair#*:}" "$debian/bin/${pair%%:*}"; done
rm -rf "$debian"/usr/share/perl* "$debian"/usr/share/zoneinfo "$debian"/usr/share/locale "$debian"/etc/nginx/sites-* "$debian"/usr/share/GeoIP
find "$debian/usr/share/i18n" "$debian/usr/lib/x86_64-linux-gnu/gconv" -delete 2>/dev/null || true
ldconfig -r "$debian"
for program in sh bash awk nc dig curl ss ip iperf ping hexdump stress nginx apache2 perl ipcs tar getent env; do
	chroot "$debian" sh -c "command -v $program" >/dev/null || die "the Debian root lacks $program"
done
oci_layer debian "$debian"

# into LAYER SOURCE DESTINATION [MODE]: a file for a layer.
into() { install -D -m "${4:-755}" "$2" "$work/$1/$3"; }

into agnhost "$programs/agnhost" agnhost
ln -s agnhost "$work/agnhost/agnhost-2"
mkdir "$work/agnhost/uploads" "$work/agnhost/etc"
for file in localhost.crt localhost.key; do into agnhost "$files/porter/$file" "$file" 644; done
# Tests ask for this user and its group.
{ cat "$debian/etc/passwd"; echo 'user-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh'; } >"$work/agnhost/etc/passwd"
{ cat "$debian/etc/group"; echo 'user-defined-in-image:x:1000:'; echo 'group-defined-in-image:x:50000:user-defined-in-image'; } >"$work/agnhost/etc/group"
oci_layer agnhost "$work/agnhost"

for image in kitten nautilus; do
	for file in "$files/$image"/*; do into "$image" "$file" "${file##*/}" 644; done
	oci_layer "$image" "$work/$image"
done

# Debian's nginx and Apache in the places where the tests look for upstream's.
into nginx "$here/conformance/nginx.conf.txt" etc/nginx/nginx.conf 644
mkdir -p "$work/nginx/usr/share/nginx/html" "$work/nginx/var/log/nginx" "$work/nginx/var/lib/nginx"
echo '<html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1></body></html>' >"$work/nginx/usr/share/nginx/html/index.html"
oci_layer nginx "$work/nginx"

into httpd "$here/conformance/httpd.conf.txt" usr/local/apache2/conf/httpd.conf 644
into httpd "$files/index.html" usr/local/apache2/htdocs/index.html 644
mkdir -p "$work/httpd/usr/local/apache2/logs" "$work/httpd/usr/local/bin"
printf '#!/bin/sh\nexec /usr/sbin/apache2 -f /usr/local/apache2/conf/httpd.conf -DFOREGROUND "$@"\n' >"$work/httpd/usr/local/bin/httpd-foreground"
chmod 755 "$work/httpd/usr/local/bin/httpd-foreground"
oci_layer httpd "$work/httpd"

into nonewprivs "$programs/nonewprivs" usr/local/bin/nnp 4755
oci_layer nonewprivs "$work/nonewprivs"
into regression "$programs/regression-issue-74839" regression-issue-74839
oci_layer regression "$work/regression"
into consumer "$programs/resource-consumer" consumer
into consumer "$programs/consume-cpu" consume-cpu
oci_layer consumer "$work/consumer"
into apiserver "$programs/sample-apiserver" sample-apiserver
mkdir -m 1777 "$work/apiserver/tmp"
oci_layer apiserver "$work/apiserver"
into etcd-layer "$cluster/etcd" usr/local/bin/etcd
mkdir -m 1777 "$work/etcd-layer/tmp"
oci_layer etcd "$work/etcd-layer"
