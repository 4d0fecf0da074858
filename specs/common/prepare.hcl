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

block "hypervisors" {
  stage = "prepare"
  when  = local.build
  hosts = local.hypervisors

  task "package" "hypervisor" {
    names   = coalesce(var.hypervisor_packages, local.host_system.hypervisor)
    timeout = "20m"
  }

  # Guests and their bridge traffic are forwarded by the hypervisors.
  task "sysctl" "forward" {
    name  = "net.ipv4.ip_forward"
    value = "1"
  }

  # Where podman and skopeo of the hypervisors get images from.
  task "copy" "mirrors" {
    when       = length(var.image_mirrors) > 0
    dest       = "/etc/containers/registries.conf.d/50-kinit-${cluster.name}.conf"
    content    = templatefile("files/registries.conf", { mirrors = var.image_mirrors })
    mode       = "0644"
    depends_on = [task.package.hypervisor]
  }
}

block "overlay_hypervisors" {
  stage = "prepare"
  when  = local.build
  hosts = local.overlay_hypervisors

  task "package" "overlay" {
    names      = coalesce(var.overlay_packages, local.host_system.overlay)
    timeout    = "20m"
    depends_on = [task.package.hypervisor, task.package.repositories]
  }

  task "service" "hypervisor" {
    name       = local.host_system.services.switch
    enabled    = true
    state      = "started"
    depends_on = [task.package.overlay]
  }

  # Made before ovn-controller starts, which would make one of its own: this one has the
  # right datapath from the beginning, is marked, and goes with the last cluster.
  task "ovs_bridge" "integration" {
    name          = "br-int"
    datapath_type = local.datapath_type
    fail_mode     = "secure"
    depends_on    = [task.service.hypervisor]
  }

  task "service" "chassis" {
    name       = local.host_system.services.chassis
    enabled    = true
    state      = "started"
    depends_on = [task.ovs_bridge.integration]
  }
}

block "central" {
  stage = "prepare"
  when  = local.build && local.overlay
  hosts = local.central_hosts

  task "package" "central" {
    names      = coalesce(var.central_packages, local.host_system.central)
    timeout    = "20m"
    depends_on = [task.package.hypervisor, task.package.repositories]
  }

  # Databases that are members have units of their own.
  task "service" "central" {
    when       = host.name == local.first_hypervisor && !local.clustered
    name       = local.host_system.services.central
    enabled    = true
    state      = "started"
    depends_on = [task.command.databases]
  }
}
