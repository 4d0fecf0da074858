# Starts a job, which goes on when its connection is lost.
#
#   $1  the script of the process that attends it
#   $2  the folder of its files, which does not exist yet
#   $3  how many seconds the job may last
#   …   the program and its arguments; standard input is the job's
attend=$1 folder=$2 limit=$3
shift 3
# Results that were not collected for a week.
for old in /var/tmp/kinit-job.*; do
	[ -O "$old" ] && [ -f "$old/code" ] && [ -n "$(find "$old/code" -mtime +7 2>/dev/null)" ] && rm -rf "$old"
done
mkdir -m 700 "$folder" || exit 125
input=$(cat && echo x)
# A run that takes over finds the process by these variables, as it finds running commands.
# shellcheck disable=SC2016 # of the new shell
printf %s "${input%x}" | setsid sh -c '[ -z "$KINIT_RUN" ] || export KINIT_COMMAND=$$; exec sh -c "$@"' sh \
	"$attend" job "$folder" "$limit" "$@" >/dev/null 2>&1 &
tries=0
until [ -s "$folder/started" ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 300 ]; then
		echo "the job did not start within 30 s" >&2
		exit 125
	fi
	sleep 0.1
done
