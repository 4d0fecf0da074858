# bare: guests, overlay and services, and proof that they work together.

import {
  source = "common"
}

record {
  fixed = { distribution = "bare" }
}

locals {
  # Nothing runs on the nodes, which may have any system.
  controller_os     = null
  node_packages     = []
  inside_networks   = []
  pod_networks      = []
  routed_networks   = {}
  leaving_routes    = []
  kernel_modules    = {}
  leave_script      = ""
  distribution_pins = []

  windows_leave_script = ""
  windows_traces = {
    services  = []
    tasks     = []
    rules     = []
    alone     = []
    folders   = []
    files     = []
    parents   = []
    elements  = []
    variables = []
    networks  = []
    unscanned = { processes = [], folders = [] }
  }
}

stage "leave" {
  after = ["services", "nodes"]
}

stage "verify" {
  after = ["leave"]
}

# Every guest resolves names with the cluster's own DNS and reaches the others.
task "command" "resolve" {
  stage     = "verify"
  for_each  = local.linux_nodes
  host      = each.key
  argv      = ["getent", "hosts", "api.${cluster.domain}"]
  read_only = true
  expect    = local.services_address
  retry {
    attempts = 10
    delay    = "2s"
  }
}

task "command" "reach" {
  stage = "verify"
  for_each = {
    for pair in setproduct(keys(local.linux_nodes), keys(local.linux_nodes)) :
    "${pair[0]}/${pair[1]}" => { from = pair[0], to = pair[1] } if pair[0] != pair[1]
  }
  host      = each.value.from
  argv      = ["ping", "-c", "1", "-W", "5", cluster.nodes[each.value.to].ip]
  read_only = true
  retry {
    attempts = 10
    delay    = "2s"
  }
}
