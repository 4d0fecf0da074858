# An SSH server that listens on another port too, where SELinux is on.
task "facts" "all" {
  hosts = run.hosts
}

task "selinux_port" "ssh" {
  hosts = run.hosts
  when  = task.facts.all[host.name].selinux != ""
  type  = "ssh_port_t"
  ports = ["2222"]
}
