hostname "$1"
printf '%s\n' "$1" >/etc/hostname
printf '%s\n' "$2" >/etc/machine-id
printf '%s\n' "$3" >/run/boot_id
mount --bind /run/boot_id /proc/sys/kernel/random/boot_id
mkdir /small
mount -t tmpfs -o size=4m,mode=755 small /small
mkdir /small/srv /small/lib
mount --bind /small/srv /srv
rm -rf /var/lib/kinit /etc/cron.d /etc/systemd/system
mkdir -p /var/lib/kinit /etc/cron.d /etc/systemd/system
mount --bind /small/lib /var/lib/kinit
printf '127.0.0.1 localhost\n192.0.2.99 printer # of the office\n' >/etc/hosts
chmod 0664 /etc/hosts

# Foreign objects of each kind that a cluster has too, next to its own.
printf '# foreign\n0 3 * * * root /usr/local/bin/foreign\n' >/etc/cron.d/foreign
printf '[Service]\nExecStart=/bin/sleep 1\n' >/etc/systemd/system/foreign.service
printf 'first foreign line\nsecond foreign line\n' >/etc/shared.conf
mkdir -p /srv/foreign/folder /srv/nodes/shop-web-01 /srv/shop
printf 'foreign\n' >/srv/foreign/file
chmod 0640 /srv/foreign/file
chown 65532:65531 /srv/foreign/file
ln /srv/foreign/file /srv/foreign/hard
ln -s file /srv/foreign/link
ln -s nowhere /srv/foreign/dangling
mkfifo /srv/foreign/pipe
printf 'a node of another program\n' >/srv/nodes/shop-web-01/data
printf 'foreign\n' >/srv/shop/file
groupadd foreign 2>/dev/null || :
useradd -m -g foreign foreign 2>/dev/null || :

# A systemctl that keeps what it is asked to do in files.
mkdir -p /usr/local/bin /run/units
cat >/usr/local/bin/systemctl <<'END'
#!/bin/sh
verb=$1; now=; for unit; do [ "$unit" = --now ] && now=1; done
dir=/run/units/$unit
case $verb in
show)
	is() { [ -e "$dir/$1" ] && echo "$2" || echo "$3"; }
	echo "LoadState=$([ -e "/etc/systemd/system/$unit" ] && echo loaded || echo not-found)"; echo "ActiveState=$(is active active inactive)"
	echo "UnitFileState=$(is enabled enabled disabled)"; echo NeedDaemonReload=no;;
daemon-reload|reset-failed) ;;
enable) mkdir -p "$dir"; : >"$dir/enabled"; [ -z "$now" ] || : >"$dir/active";;
disable) rm -f "$dir/enabled"; [ -z "$now" ] || rm -f "$dir/active";;
start|restart) mkdir -p "$dir"; : >"$dir/active";;
stop) rm -f "$dir/active";;
*) echo "there is no verb $verb" >&2; exit 1;;
esac
END
chmod +x /usr/local/bin/systemctl
