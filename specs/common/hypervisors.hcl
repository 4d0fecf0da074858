# hypervisors: what their systems call packages, services and users. hypervisors.json has an entry for
# each system that kinit prepares; which one a host has is asked there.

locals {
  prepared = jsondecode(file("hypervisors.json"))

  # The entry of the system that a host has.
  host_system = local.prepared[task.command.system[host.name].stdout]
}

task "command" "system" {
  stage     = "prepare"
  hosts     = local.overlay_hosts
  argv      = concat(["sh", "-c", file("files/system.sh"), "system"], keys(local.prepared))
  read_only = true
  # A cluster is removed from any system.
  ok_codes = local.build ? [0] : range(256)
}

# Repositories that have packages of the lists which follow; a distribution has them as packages.
task "package" "repositories" {
  stage   = "prepare"
  when    = local.build && length(local.host_system.repositories) > 0
  hosts   = local.overlay ? local.overlay_hosts : []
  names   = local.host_system.repositories
  timeout = "20m"
  advice = fold(<<-EOT
    Open vSwitch and OVN come from this repository. Where the host does not find it, enable one that has both, and
    name their packages by the variables overlay_packages and central_packages.
    EOT
  )
  depends_on = [task.command.overlay_taken]
}
