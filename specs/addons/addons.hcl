# The addons: what a cluster may have beside Kubernetes itself. Each is a folder beside this file.
# Adding one is its folder, its import, and its line in what follows.
#
# Offers:
#   local.addon_images   images of the chosen addons, for the registry
#   local.addon_pins     names of the pins of the chosen addons
#   var.addons           the addons that a user chose
#   task.command.addons  removes addons that are no longer chosen
#   task.wait.addon      waits for an addon's workloads
#
# Needs:
#   local.admin_conf           where controllers have an administrator's kubeconfig
#   local.build                whether the run goes on after clean-up
#   local.evidence             what is shown of the nodes when a check fails
#   local.first_node           the controller that the others join
#   local.kubectl              kubectl as an administrator, on controllers
#   local.pinned               images with their digests
#   local.tagged               images with their tags
#   var.cluster_timeout        how long Kubernetes may take
#   task.kubectl_apply.sample  the sample workload
#   task.wait.ready            waits until all nodes are ready

import {
  source = "addons/metrics-server"
}

import {
  source = "addons/ingress"
}

import {
  source = "addons/local-path"
}

import {
  source = "addons/nfs"
}

import {
  source = "addons/node-problem-detector"
}

variable "addons" {
  type    = list(string)
  default = []
  description = fold(<<-EOT
    What the cluster has beside Kubernetes itself: metrics-server, ingress, local-path, nfs, node-problem-detector. An
    addon that is no longer named is removed. The first storage of the list, local-path or nfs, is the default one.
    EOT
  )
}

locals {
  known_addons = {
    metrics-server        = local.addon_metrics_server
    ingress               = local.addon_ingress
    local-path            = local.addon_local_path
    nfs                   = local.addon_nfs
    node-problem-detector = local.addon_node_problem_detector
  }
  unknown_addons = [for name in var.addons : name if !contains(keys(local.known_addons), name)]
  chosen_addons = {
    for name in var.addons :
    name => local.known_addons[name]... if contains(keys(local.known_addons), name)
  }
  addons = { for name, addon in local.chosen_addons : name => addon[0] }

  # Claims that name no storage class get this one.
  default_storage = concat([for name in var.addons : name if contains(["local-path", "nfs"], name)], [""])[0]

  # Images of addons, as nodes pull them, and where the cluster's registry gets them.
  addon_pins   = distinct(flatten([for addon in values(local.addons) : addon.pins]))
  addon_images = { for name in local.addon_pins : local.tagged[name] => "docker://${local.pinned[name]}" }

  # What kinit labels objects of an addon with.
  addon_labels = { for name in ["metrics-server", "ingress", "local-path", "nfs", "node-problem-detector"] :
    name => jsonencode({
      "app.kubernetes.io/managed-by" = "kinit"
      "kinit/addon"                  = name
  }) }
}

task "assert" "addons" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.unknown_addons) == 0
    message = fold(<<-EOT
      There is no addon ${join(", ", [for name in local.unknown_addons : "\"${name}\""])}. The addons are
      ${join(", ", keys(local.known_addons))}.
      EOT
    )
  }

  condition {
    holds   = length(distinct(var.addons)) == length(var.addons)
    message = "The variable addons names one twice: ${join(", ", var.addons)}."
  }
}

# What addons made that are no longer chosen.
task "command" "addons" {
  stage       = "verify"
  when        = local.build
  host        = local.first_node
  environment = { KUBECONFIG = local.admin_conf }
  argv        = concat(["sh", "-c", file("files/addons.sh"), "addons", "remove"], keys(local.addons))
  unless      = concat(["sh", "-c", file("files/addons.sh"), "addons", "check"], keys(local.addons))
  timeout     = "10m"
  depends_on  = [task.wait.ready]
}

# The sample comes first: what serves on a port of nodes instead of it needs that port.
task "kubectl_apply" "addon" {
  stage      = "verify"
  for_each   = local.addons
  host       = local.first_node
  kubeconfig = local.admin_conf
  content    = each.value.content
  depends_on = [task.kubectl_apply.sample, task.command.addons]
}

task "wait" "addon" {
  stage    = "verify"
  for_each = local.addons
  host     = local.first_node
  argv = concat(
    local.kubectl,
    ["--namespace", each.value.namespace, "rollout", "status", "--timeout", "25s"],
    each.value.workloads,
  )
  within = var.cluster_timeout
  evidence = concat(
    [concat(local.kubectl, ["--namespace", each.value.namespace, "describe", "pods"])],
    local.evidence,
  )
  depends_on = [task.kubectl_apply.addon]
}
