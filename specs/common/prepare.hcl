# prepare: reach every hypervisor and machine on the overlay, learn what it is, install and start what
# building needs.

task "facts" "hypervisor" {
  stage = "prepare"
  hosts = local.overlay_hosts
}

# The interface that carries the encapsulation address: its MTU decides the nodes'.
task "facts" "underlay" {
  stage = "prepare"
  hosts = local.overlay_hosts
  address = lookup(var.encapsulation_address, host.name,
  can(regex("^[0-9.]+$", host.address)) ? host.address : task.facts.hypervisor[host.name].default_address)
}

task "package" "hypervisor" {
  stage   = "prepare"
  when    = local.build
  hosts   = local.hypervisors
  names   = var.hypervisor_packages
  timeout = "20m"
}

task "package" "overlay" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.overlay_hypervisors
  names      = var.overlay_packages
  timeout    = "20m"
  depends_on = [task.package.hypervisor]
}

task "package" "central" {
  stage      = "prepare"
  when       = local.build && local.overlay
  host       = local.first
  names      = ["ovn-central"]
  timeout    = "20m"
  depends_on = [task.package.hypervisor]
}

task "service" "hypervisor" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.overlay_hypervisors
  name       = "openvswitch-switch.service"
  enabled    = true
  state      = "started"
  depends_on = [task.package.overlay]
}

# Made before ovn-controller starts, which would make one of its own: this one has the
# right datapath from the beginning, is marked, and goes with the last cluster.
task "ovs_bridge" "integration" {
  stage         = "prepare"
  when          = local.build
  hosts         = local.overlay_hypervisors
  name          = "br-int"
  datapath_type = local.datapath_type
  fail_mode     = "secure"
  depends_on    = [task.service.hypervisor]
}

task "service" "chassis" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.overlay_hypervisors
  name       = "ovn-host.service"
  enabled    = true
  state      = "started"
  depends_on = [task.ovs_bridge.integration]
}

task "service" "central" {
  stage      = "prepare"
  when       = local.build && local.overlay
  host       = local.first
  name       = "ovn-central.service"
  enabled    = true
  state      = "started"
  depends_on = [task.package.central]
}

# Guests and their bridge traffic are forwarded by the hypervisors.
task "sysctl" "forward" {
  stage = "prepare"
  when  = local.build
  hosts = local.hypervisors
  name  = "net.ipv4.ip_forward"
  value = "1"
}

# Where podman and skopeo of the hypervisors get images from.
task "copy" "mirrors" {
  stage      = "prepare"
  when       = local.build && length(var.image_mirrors) > 0
  hosts      = local.hypervisors
  dest       = "/etc/containers/registries.conf.d/50-kinit-${cluster.name}.conf"
  content    = templatefile("files/registries.conf", { mirrors = var.image_mirrors })
  mode       = "0644"
  depends_on = [task.package.hypervisor]
}
