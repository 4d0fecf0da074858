# What all playbooks of a cluster know.

locals {
  servers       = lookup(groups, var.server_group, [])
  agents        = setsubtract(lookup(groups, var.agent_group, []), local.servers)
  nodes         = concat(local.servers, tolist(local.agents))
  first_server  = try(local.servers[0], "")
  other_servers = slice(local.servers, min(1, length(local.servers)), length(local.servers))
  several       = length(local.servers) > 1
  endpoint      = coalesce(var.api_endpoint, try(hosts[local.first_server].address, null), "none")
  url           = "https://${strcontains(local.endpoint, ":") ? "[${local.endpoint}]" : local.endpoint}:${var.api_port}"
}

task "assert" "servers" {
  early = true
  condition {
    holds   = local.first_server != ""
    message = "No host is selected in the group ${var.server_group}: add a server to it, or set server_group."
  }
}

task "facts" "node" {
  hosts = local.nodes
}

locals {
  facts   = task.facts.node[host.name]
  release = tonumber(coalesce(try(regex("^[0-9]+", local.facts.os_version), null), "0"))
  systemd = local.facts.service_manager == "systemd"

  # The environments of the services, which the script of installation makes.
  server_env = local.systemd ? "${var.systemd_dir}/k3s.service.env" : "/etc/rancher/k3s/k3s.env"
  agent_env  = local.systemd ? "${var.systemd_dir}/k3s-agent.service.env" : "/etc/rancher/k3s/k3s-agent.env"
}

# The settings of a server but for the token: what the role sets, under what the user gives.
locals {
  own_config = var.server_config_yaml == "" ? {} : yamldecode(var.server_config_yaml)
  named = anytrue([
    contains(flatten([lookup(local.own_config, "tls-san", [])]), local.endpoint),
    can(regex("--tls-san[= ]+${replace(local.endpoint, ".", "\\.")}", var.extra_server_args)),
  ])
  starts = local.several && host.name == local.first_server && !var.use_external_database
  joins  = local.several && host.name != local.first_server && !var.use_external_database
  server_config = merge(
    local.endpoint != local.facts.hostname && !local.named ? { tls-san = local.endpoint } : {},
    local.starts ? { cluster-init = true } : {},
    local.joins ? { server = local.url } : {},
    local.own_config,
  )
}

# Networks of pods and services.
locals {
  pod_networks     = lookup(local.own_config, "cluster-cidr", "10.42.0.0/16")
  service_networks = lookup(local.own_config, "service-cidr", "10.43.0.0/16")
  networks         = split(",", "${local.pod_networks},${local.service_networks}")
}

# What the script of installation is called with: it runs again for other inputs.
locals {
  server_install = merge(var.extra_install_envs, {
    INSTALL_K3S_SKIP_START = "true"
    INSTALL_K3S_VERSION    = var.k3s_version
    INSTALL_K3S_EXEC       = var.extra_server_args
  })
  agent_install = merge(var.extra_install_envs, {
    INSTALL_K3S_SKIP_START  = "true"
    INSTALL_K3S_SYSTEMD_DIR = var.systemd_dir
    INSTALL_K3S_VERSION     = var.k3s_version
    INSTALL_K3S_EXEC        = trimspace("agent --server ${local.url} ${var.extra_agent_args}")
  })
  server_inputs = sha256(jsonencode(local.server_install))
  agent_inputs  = sha256(jsonencode(local.agent_install))
  service_envs  = join("", [for line in var.extra_service_envs : "${line}\n"])
}
