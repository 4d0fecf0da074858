# Debian's own packages: Docker's repository is not to be had in a lab.
add_repository         = false
packages               = ["docker.io"]
obsolete_packages      = ["docker-engine"]
install_compose_plugin = false
users                  = ["ann"]
service_start_command  = "/usr/sbin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock --log-level=warn"
daemon_options         = { storage-driver = "vfs" }
