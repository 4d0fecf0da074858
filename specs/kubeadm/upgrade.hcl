# upgrade: nodes that exist get another version of Kubernetes, one after the other, before anything else
# of it comes to them. Nodes that are new have it from the beginning.

variable "upgrade_serial" {
  type    = string
  default = "1"
  description = fold(<<-EOT
    How many compute nodes are upgraded at the same time: a number, or a percentage such as "25%". Controllers go one
    by one.
    EOT
  )

  validation {
    condition     = can(regex("^([1-9][0-9]*|[1-9][0-9]?%|100%)$", var.upgrade_serial))
    error_message = "It is a number of nodes from 1 on, or a percentage such as \"25%\"."
  }
}

locals {
  # Nodes that may have another version, the controller that leads first.
  upgradable      = [for name in local.all_nodes : name if contains(cluster.existing, name)]
  upgradable_lead = [for name in local.upgradable : name if name == local.first_node]
  upgradable_others = [
    for c in local.controllers :
    c.name if contains(local.upgradable, c.name) && c.name != local.first_node
  ]
  upgradable_plane = concat(local.upgradable_lead, local.upgradable_others)
  upgradable_rest  = [for name in local.upgradable : name if !contains(local.upgradable_plane, name)]

  # Those of them that have.
  nodes_to_upgrade = try([for name in task.kubectl_versions.cluster.due : name if contains(local.upgradable, name)], [])

  upgrade_root     = "/usr/local/lib/kinit/upgrade"
  upgrade_snapshot = "/var/lib/kinit/etcd/before-${local.kubernetes_version}.db"
  upgrade_drains   = length(local.linux_nodes) > 1 # from a single node pods go nowhere
  upgrade_advice = fold(<<-EOT
    No further node is upgraded. The same command goes on here. All that Kubernetes knew before is in
    ${local.upgrade_snapshot} on ${local.first_node}.
    EOT
  )
  upgrade_drain_advice = "${local.upgrade_advice} The variable drain_timeout gives pods longer."
  upgrade_version      = "${local.cluster_folder}/kubernetes-version"
}

# What the nodes have, and whether the way to the version is open, before anything changes. As long as the version stays
# this is a file on the hypervisor.
task "kubectl_versions" "cluster" {
  stage      = "validate"
  when       = local.build && local.place_kubectl && length(local.upgradable) > 0
  host       = local.services.hypervisor
  version    = local.kubernetes_minor < 0 ? local.release_version : local.kubernetes_base
  kubectl    = "${local.place}/kubectl"
  kubeconfig = "${local.place}/kubeconfig"
  record     = local.upgrade_version
  advice     = "Nothing was changed. The version is that of the variable kubernetes_version."
}

task "assert" "upgrade" {
  stage = "validate"
  when  = local.build

  condition {
    holds = !var.kubernetes_preinstalled || length(local.nodes_to_upgrade) == 0
    message = fold(<<-EOT
      ${join(", ", local.nodes_to_upgrade)} would have to get Kubernetes ${local.kubernetes_version}, and the programs
      of nodes are those of their image (kubernetes_preinstalled = true). With kubernetes_preinstalled = false nodes
      fetch them; or recreate the nodes one by one with another image, by kinit replace.
      EOT
    )
  }
}

# The programs are on all nodes before the first one changes.
block "upgrade_programs" {
  stage = "upgrade"
  hosts = local.upgradable
  when  = contains(local.nodes_to_upgrade, host.name)

  task "directory" "upgrade" {
    path = local.upgrade_root
    mode = "0755"
  }

  task "download" "upgrade" {
    for_each   = toset(["kubeadm", "kubelet", "kubectl"])
    url        = local.kubernetes_programs[each.key].url
    sha256     = local.kubernetes_programs[each.key].sha256
    sha512     = local.kubernetes_programs[each.key].sha512
    sha256_url = local.kubernetes_programs[each.key].sha256_url
    unverified = contains(local.kubernetes_unverified, each.key)
    dest       = "${local.upgrade_root}/${each.key}"
    mode       = "0755"
    timeout    = "20m"
    advice = fold(<<-EOT
      No node is upgraded yet. Nodes fetch the programs of Kubernetes by themselves. The variable ${local.release_url}
      names another site with the same layout.
      EOT
    )
    depends_on = [task.directory.upgrade]
  }
}

# As etcd is before the first node changes. An upgrade that goes on leaves this file alone.
task "etcd_snapshot" "upgrade" {
  stage      = "upgrade"
  hosts      = local.upgradable_lead
  when       = length(local.nodes_to_upgrade) > 0 && !try(task.kubectl_versions.cluster.begun, false)
  path       = local.upgrade_snapshot
  timeout    = "30m"
  depends_on = [task.download.upgrade]
}

block "upgrade_controllers" {
  stage  = "upgrade"
  serial = 1

  task "kubectl_drain" "upgrade_controller" {
    for_each   = toset(local.upgradable_plane)
    when       = local.upgrade_drains && contains(local.nodes_to_upgrade, each.key)
    host       = local.first_node
    node       = each.key
    kubeconfig = local.admin_conf
    returns    = true
    within     = var.drain_timeout
    timeout    = "24h"
    advice     = local.upgrade_drain_advice
    depends_on = [task.etcd_snapshot.upgrade]
  }

  task "kubeadm_upgrade" "controller" {
    hosts    = local.upgradable_plane
    when     = contains(local.nodes_to_upgrade, host.name)
    version  = local.kubernetes_version
    programs = local.upgrade_root
    first    = host.name == local.first_node
    config   = host.name == local.first_node ? local.init_config : ""
    patches  = local.patches

    # CreateJob gives a trial pod 15 s to end, which is too short on a busy cluster. kinit has looked at the nodes, the
    # control plane and etcd before.
    ignore_preflight = concat(
      ["CreateJob"],
      var.ignore_preflight,
      task.facts.node[host.name].container == "" ? [] : local.shared_kernel,
    )
    timeouts   = local.upgrade_timeouts
    wait       = var.cluster_timeout
    timeout    = "4h"
    advice     = local.upgrade_advice
    depends_on = [task.kubectl_drain.upgrade_controller, task.kubeadm_config.init]
  }

  # A member says so only when a quorum of them agrees.
  task "wait" "upgrade_etcd" {
    hosts  = local.upgradable_plane
    when   = contains(local.nodes_to_upgrade, host.name)
    argv   = ["bash", "-c", file("files/etcd-health.sh")]
    expect = "health true"
    within = "5m"
    evidence = [concat(local.kubectl, [
      "--namespace", "kube-system", "get", "pods", "--selector", "component=etcd", "--output", "wide",
    ])]
    depends_on = [task.kubeadm_upgrade.controller]
  }

  task "kubectl_uncordon" "upgrade_controller" {
    for_each   = toset(local.upgradable_plane)
    when       = contains(local.nodes_to_upgrade, each.key)
    host       = local.first_node
    node       = each.key
    kubeconfig = local.admin_conf
    depends_on = [task.wait.upgrade_etcd]
  }
}

block "upgrade_computes" {
  stage      = "upgrade"
  serial     = var.upgrade_serial
  depends_on = [block.upgrade_controllers]

  task "kubectl_drain" "upgrade_compute" {
    for_each   = toset(local.upgradable_rest)
    when       = local.upgrade_drains && contains(local.nodes_to_upgrade, each.key)
    host       = local.first_node
    node       = each.key
    kubeconfig = local.admin_conf
    returns    = true
    within     = var.drain_timeout
    timeout    = "24h"
    advice     = local.upgrade_drain_advice
  }

  task "kubeadm_upgrade" "compute" {
    hosts    = local.upgradable_rest
    when     = contains(local.nodes_to_upgrade, host.name)
    version  = local.kubernetes_version
    programs = local.upgrade_root
    patches  = local.patches
    ignore_preflight = concat(
      var.ignore_preflight,
      task.facts.node[host.name].container == "" ? [] : local.shared_kernel,
    )
    timeouts   = local.upgrade_timeouts
    wait       = var.cluster_timeout
    timeout    = "2h"
    advice     = local.upgrade_advice
    depends_on = [task.kubectl_drain.upgrade_compute]

    retry {
      attempts = 3
      delay    = "10s"
    }
  }

  task "kubectl_uncordon" "upgrade_compute" {
    for_each   = toset(local.upgradable_rest)
    when       = contains(local.nodes_to_upgrade, each.key)
    host       = local.first_node
    node       = each.key
    kubeconfig = local.admin_conf
    depends_on = [task.kubeadm_upgrade.compute]
  }
}

locals {
  upgrade_timeouts = {
    upgradeManifests                 = var.cluster_timeout
    kubernetesAPICall                = "3m"
    kubeletHealthCheck               = var.cluster_timeout
    controlPlaneComponentHealthCheck = var.cluster_timeout
  }
}

# What the next run compares: all nodes have this version now.
task "copy" "kubernetes_version" {
  stage      = "computes"
  when       = local.build
  host       = local.services.hypervisor
  dest       = local.upgrade_version
  content    = "${local.kubernetes_base}\n"
  mode       = "0600"
  depends_on = [task.kubeadm_init.first, task.kubeadm_join.controller, task.kubeadm_join.compute, task.directory.root]
}
