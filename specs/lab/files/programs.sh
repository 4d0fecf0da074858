# How a cluster's programs lie in a folder, and how they get from there to where they run.
# Sourced.
#
# In a folder by build-kubernetes.sh the file kubernetes is every Kubernetes program: the name
# it is called by chooses. In one by build-downloaded.sh each is a file of its own.

# programs_are_one FOLDER
programs_are_one() { [ -f "$1/kubernetes" ]; }

# program_file FOLDER NAME: the file that holds a program. To run it, call that by the
# program's name.
program_file() {
	case "$2" in
	kube*) if programs_are_one "$1"; then echo "$1/kubernetes"; else echo "$1/$2"; fi ;;
	*) echo "$1/$2" ;;
	esac
}

# programs_missing FOLDER NAME...: the first file that is not there.
programs_missing() {
	program_folder=$1
	shift
	for program_name in "$@"; do
		program_path=$(program_file "$program_folder" "$program_name")
		[ -f "$program_path" ] || { echo "$program_path"; return; }
	done
}

# programs_digest FOLDER NAME...: a short name for what the programs are. Those that a script
# made count by what they were made of.
programs_digest() {
	program_folder=$1
	shift
	for program_name in "$@"; do
		program_path=$(program_file "$program_folder" "$program_name")
		echo "$program_name"
		if [ -f "$program_folder/SOURCES" ]; then
			grep "^$program_name " "$program_folder/SOURCES"
		elif [ -f "$program_path.inputs" ]; then
			cat "$program_path.inputs"
		else
			sha256sum <"$program_path"
		fi
	done | sha256sum | cut -c 1-12
}

# program_put FOLDER TARGET NAME...: the programs with their names in the folder TARGET. What is
# one file is there once, and links lead to it.
program_put() {
	program_folder=$1 program_target=$2
	shift 2
	for program_name in "$@"; do
		program_path=$(program_file "$program_folder" "$program_name")
		program_real=${program_path##*/}
		[ "$program_real" != "$program_name" ] && [ -f "$program_target/$program_real" ] ||
			install -D -m 755 "$program_path" "$program_target/$program_real"
		[ "$program_real" = "$program_name" ] || ln -sf "$program_real" "$program_target/$program_name"
	done
}
