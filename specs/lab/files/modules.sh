# How programs of a cluster are built from Go modules. Sourced by the scripts that do it, after
# begin; leaves the working folder in the module's.

sources=${KUBERNETES_SOURCES:-$here/kubernetes}
plugins=${CNI_PLUGINS_VERSION:-v0.9.1} # a Go module, which Go's checksum database verifies

module() { go list -m -f "{{.$2}}" "$1"; }

# modules_begin: the module with the versions of go.mod.txt, and a main package each for the
# programs.
modules_begin() {
	# Without DWARF, which no program here keeps, compiling takes a tenth less. The compiler
	# runs thousands of times and briefly: not collecting garbage below the limit saves more
	# than that again.
	CGO_ENABLED=0 GOWORK=off GOFLAGS='-buildvcs=false -trimpath -gcflags=all=-dwarf=false' GOGC=off GOMEMLIMIT=1536MiB
	export CGO_ENABLED GOWORK GOFLAGS GOGC GOMEMLIMIT

	# The names end in .txt there because a nested go.mod would cut the folder off from what
	# kinit embeds.
	mkdir -p "$work/src" "$work/bin"
	for file in go.mod go.sum; do cp "$sources/$file.txt" "$work/src/$file"; done
	for program in kubernetes etcd etcdutl coredns; do install -D -m 644 "$here/kubernetes/$program/main.go.txt" "$work/src/$program/main.go"; done
	cd "$work/src"
	say "modules"
	flags="-s -w"
	if grep -q flannel go.mod; then modules_flannel; fi

	# What the release scripts set. The commit is not known here, and says so.
	version=$(module k8s.io/kubernetes Version)
	minor=${version#v1.}
	for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
		flags="$flags -X $package.gitTreeState=clean -X $package.gitCommit=built-from-go-modules"
	done
}

# modules_flannel: flannel's own main package, without the backends that need a C compiler and the
# programming kit of a cloud.
modules_flannel() {
	go mod download github.com/flannel-io/flannel
	mkdir flanneld
	sed '/pkg\/backend\/\(udp\|tencentvpc\)"$/d' "$(module github.com/flannel-io/flannel Dir)/main.go" >flanneld/main.go
	flags="$flags -X github.com/flannel-io/flannel/pkg/version.Version=$(module github.com/flannel-io/flannel Version)"
}

# modules_coredns: CoreDNS fills in a field that the client of this Kubernetes no longer has, with what is the
# default anyhow.
modules_coredns() {
	go mod download github.com/coredns/coredns
	cp -r "$(module github.com/coredns/coredns Dir)" coredns-module
	chmod -R u+w coredns-module
	sed -i '/RetryOnError: *false,/d' coredns-module/plugin/kubernetes/object/informer.go
	go mod edit -replace github.com/coredns/coredns=./coredns-module
}

# Go names each package that it compiles, and none that its cache has.
progress() {
	count=0
	while read -r line; do
		case "$line" in
		*[:\ ]*) echo "$line" ;;
		*)
			count=$((count + 1))
			[ $((count % 20)) != 0 ] || echo "compiled $count of $1 packages"
			;;
		esac
	done
	say "$count of $1 packages were compiled, the others are in Go's build cache"
}

# modules_build PROGRAM...: into the work folder.
modules_build() {
	packages=$(printf './%s ' "$@")
	total=$(go list -deps $packages | wc -l)
	{ go build -v -ldflags "$flags" -o "$work/bin/" $packages 2>&1 || touch "$work/failed"; } | progress "$total"
	[ ! -e "$work/failed" ] || die "go build failed"
	for program in "$@"; do mv "$work/bin/$program" "$work/$program"; done
}

# modules_build_plugin: flannel's CNI plugin, which the CNI plugins held until that version: its
# own repository is no Go module to be had.
modules_build_plugin() {
	say "flannel's CNI plugin of $plugins"
	GOBIN="$work/bin" go install -ldflags "-s -w" "github.com/containernetworking/plugins/plugins/meta/flannel@$plugins"
	mv "$work/bin/flannel" "$work/flannel-cni"
}
