# Brings the nodes to a newer version of k3s, or to other settings: servers one by one, then agents.

import {
  source = "../shared"
}

stage "look" {}

stage "servers" {
  after  = ["look"]
  serial = 1
}

stage "agents" {
  after = ["servers"]
}

task "command" "version" {
  stage     = "look"
  hosts     = local.nodes
  argv      = ["k3s", "--version"]
  read_only = true
}

locals {
  has     = regex("v[0-9]\\S*", task.command.version[host.name].stdout)
  order   = versioncompare(trimprefix(local.has, "v"), trimprefix(var.k3s_version, "v"))
  upgrade = local.order <= 0
  newer   = local.order < 0
}

import "airgap" {
  source = "../airgap"
  inputs = { hosts = local.nodes, folder = var.airgap_dir, install_url = var.install_url, facts = local.facts }
}

# The token that the first server made at random, where nobody gave one.
task "read_file" "old_token" {
  stage     = "look"
  hosts     = slice(local.servers, 0, min(1, length(local.servers)))
  when      = var.token == null && local.upgrade
  path      = "/var/lib/rancher/k3s/server/token"
  sensitive = true
}

locals {
  token = var.token != null ? var.token : trimspace(task.read_file.old_token[local.first].content)
}

block "server" {
  stage      = "servers"
  hosts      = local.servers
  when       = local.upgrade
  depends_on = [import.airgap]

  task "service" "stopped" {
    when  = local.newer
    name  = "k3s"
    state = "stopped"
  }

  # The first server knows its own token.
  task "copy" "config" {
    dest       = "/etc/rancher/k3s/config.yaml"
    content    = yamlencode(merge(var.token == null && host.name == local.first ? {} : { token = local.token }, local.server_config))
    mode       = "0600"
    depends_on = [task.service.stopped]
  }

  task "command" "install" {
    argv        = ["sh", "-c", local.install, "install", local.server_inputs, local.installed]
    unless      = ["grep", "-qx", local.server_inputs, local.installed]
    environment = merge(local.server_install, { INSTALL_K3S_SKIP_DOWNLOAD = var.airgap_dir != null || !local.newer ? "true" : "false" })
    depends_on  = [task.copy.config]
  }

  task "block_in_file" "server_env" {
    when       = length(var.extra_service_envs) > 0
    path       = local.server_env
    block      = local.service_envs
    create     = true
    mode       = "0600"
    depends_on = [task.command.install]
  }

  task "service" "units" {
    when          = local.systemd && task.command.install[host.name].changed
    daemon_reload = true
  }

  task "service" "k3s" {
    name       = "k3s"
    state      = "started"
    restart_on = [task.copy.config[host.name].sha256, local.server_inputs, local.service_envs]
    depends_on = [task.service.units, task.block_in_file.server_env]
  }
}

block "agent" {
  stage      = "agents"
  hosts      = local.agents
  when       = local.upgrade
  depends_on = [import.airgap]

  task "service" "stopped_agent" {
    when  = local.newer
    name  = "k3s-agent"
    state = "stopped"
  }

  # The script also changes the unit and its environment, so it runs for other arguments too.
  task "command" "install_agent" {
    argv   = ["sh", "-c", local.install, "install", local.agent_inputs, local.installed]
    unless = ["grep", "-qx", local.agent_inputs, local.installed]
    environment = merge(local.agent_install, {
      INSTALL_K3S_SKIP_DOWNLOAD = var.airgap_dir != null || !local.newer ? "true" : "false"
      K3S_TOKEN                 = local.token
    })
    depends_on = [task.service.stopped_agent]
  }

  task "block_in_file" "agent_env" {
    when       = length(var.extra_service_envs) > 0
    path       = local.agent_env
    block      = local.service_envs
    create     = true
    mode       = "0600"
    depends_on = [task.command.install_agent]
  }

  task "service" "units_agent" {
    when          = local.systemd && task.command.install_agent[host.name].changed
    daemon_reload = true
  }

  task "service" "k3s_agent" {
    name       = "k3s-agent"
    state      = "started"
    restart_on = [local.agent_inputs, sha256(nonsensitive(local.token)), local.service_envs, var.agent_config_yaml]
    depends_on = [task.service.units_agent, task.block_in_file.agent_env]
  }
}
