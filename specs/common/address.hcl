# address: where the services are on several hypervisors, one of their pods has the address by which all
# find them. keepalived moves it to another pod when this one ends, or its load balancer does. It is a program
# of the hypervisor, in the network of the pod: its package is everywhere, and an image of its project is not.

locals {
  # A single pod that has had others keeps its address apart from its own, so nothing changes for it.
  moving_address   = local.overlay && local.services.address != local.services.ip ? [local.services.address] : []
  moving_addresses = { for pod in values(local.services_on) : pod.name => local.moving_address }
  address_hosts    = length(local.moving_address) > 0 ? local.services_hosts : []
  address_folder   = "${local.cluster_folder}/address"
  address_unit     = "kinit-${cluster.name}-address.service"
}

task "package" "address" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.address_hosts
  names      = coalesce(var.address_packages, local.host_system.address)
  timeout    = "20m"
  depends_on = [task.package.hypervisor]
}

block "address" {
  stage = "services"
  hosts = local.address_hosts

  task "directory" "address" {
    path       = local.address_folder
    mode       = "0700"
    depends_on = [task.directory.root]
  }

  task "copy" "address_check" {
    dest       = "${local.address_folder}/check.sh"
    content    = file("files/address-check.sh")
    mode       = "0700"
    depends_on = [task.directory.address]
  }

  task "copy" "address" {
    dest = "${local.address_folder}/keepalived.conf"
    content = templatefile("files/keepalived.conf", {
      cluster = local.cluster_names
      name    = host.name
      address = local.services_address
      check   = "${local.address_folder}/check.sh"
      own     = local.services_on[host.name].ip
      others  = [for name, pod in local.services_on : pod.ip if name != host.name]
      id      = 1 + parseint(substr(sha256(cluster.name), 0, 6), 16) % 255
      # The later a pod is in the list, the later it takes the address when it is free.
      priority = { for i, name in local.services_hosts : name => 200 - i }[host.name]
    })
    mode       = "0600"
    depends_on = [task.directory.address]
  }

  # No pod has the address before the one has given it up that had it alone.
  task "service" "address" {
    name    = local.address_unit
    enabled = true
    state   = "started"
    unit = templatefile("files/address.service", {
      cluster = cluster.name
      pod     = task.podman_pod.services[host.name].name
      folder  = local.address_folder
    })
    restart_on = [task.copy.address[host.name].sha256]
    depends_on = [
      task.service.services, task.ovs_veth.services[local.services.hypervisor], task.package.address,
      task.copy.address_check,
    ]
  }

  # A pod that was not started by its unit has another network than keepalived.
  task "command" "address_network" {
    argv = ["systemctl", "restart", local.address_unit]
    unless = [
      "sh", "-c", "[ \"$(cat \"$1\")\" = \"$2\" ]", "same", "/run/kinit-${cluster.name}-address/netns",
      task.podman_pod.services[host.name].netns,
    ]
    depends_on = [task.service.address]
  }

  # Some pod has it, and the hypervisors find it.
  task "wait" "address" {
    url        = "http://${local.services_address}:9000/healthz"
    within     = "1m"
    evidence   = [["journalctl", "--unit", local.address_unit, "--lines", "20", "--no-pager", "--output", "cat"]]
    depends_on = [task.command.address_network]
  }
}

# A hypervisor that services leave hands the address over first, and keeps nothing of theirs.
task "service" "address_left" {
  stage = "cleanup"
  when  = !local.remove_all
  hosts = local.services_left
  name  = local.address_unit
  state = "absent"
}

task "service" "services_left" {
  stage      = "cleanup"
  when       = !local.remove_all
  hosts      = local.services_left
  name       = "kinit-${cluster.name}-services.service"
  state      = "absent"
  depends_on = [task.service.address_left]
}

task "directory" "services_left" {
  stage = "cleanup"
  when  = !local.remove_all
  hosts = local.services_left
  for_each = toset([
    local.service_root, local.address_folder, "${local.cluster_folder}/registry-client",
    "${local.cluster_folder}/place",
  ])
  path       = each.key
  state      = "absent"
  depends_on = [task.podman_sweep.owned]
}

task "file" "services_left" {
  stage      = "cleanup"
  when       = !local.remove_all
  hosts      = local.services_left
  for_each   = toset(["services.sh", "registry-ca.crt"])
  path       = "${local.cluster_folder}/${each.key}"
  state      = "absent"
  depends_on = [task.podman_sweep.owned]
}
