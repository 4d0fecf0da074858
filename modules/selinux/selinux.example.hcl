# SELinux in force, with a reboot where it was off.
task "selinux" "mode" {
  hosts = run.hosts
  mode  = "enforcing"
}

task "reboot" "selinux" {
  hosts         = run.hosts
  when          = task.selinux.mode[host.name].reboot_required
  unconditional = true
}
