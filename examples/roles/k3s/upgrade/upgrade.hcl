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
task "command" "old_token" {
  stage     = "look"
  hosts     = slice(local.servers, 0, min(1, length(local.servers)))
  when      = var.token == null && local.upgrade
  argv      = ["cut", "-d:", "-f4", "/var/lib/rancher/k3s/server/node-token"]
  read_only = true
  sensitive = true
}

locals {
  token = var.token != null ? var.token : trimspace(task.command.old_token[local.first].stdout)
  envs  = merge(var.extra_install_envs, { INSTALL_K3S_SKIP_START = "true", INSTALL_K3S_VERSION = var.k3s_version })
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

  task "copy" "config" {
    dest       = "/etc/rancher/k3s/config.yaml"
    content    = yamlencode(merge({ token = local.token }, local.server_config))
    mode       = "0600"
    depends_on = [task.service.stopped]
  }

  task "command" "install" {
    when        = local.newer
    argv        = ["/usr/local/bin/k3s-install.sh"]
    environment = merge(local.envs, { INSTALL_K3S_EXEC = var.extra_server_args }, var.airgap_dir != null ? { INSTALL_K3S_SKIP_DOWNLOAD = "true" } : {})
    depends_on  = [task.copy.config]
  }

  task "service" "units" {
    when          = local.systemd && task.command.install[host.name].changed
    daemon_reload = true
  }

  task "service" "k3s" {
    name       = "k3s"
    state      = "started"
    restart_on = [task.copy.config[host.name].sha256, var.k3s_version]
    depends_on = [task.service.units]
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
    argv   = ["sh", "-c", "/usr/local/bin/k3s-install.sh && printf '%s\\n' \"$1\" >\"$2\"", "install", local.agent_inputs, "/etc/rancher/k3s/upgraded"]
    unless = ["grep", "-qx", local.agent_inputs, "/etc/rancher/k3s/upgraded"]
    environment = merge(local.agent_envs, {
      INSTALL_K3S_SKIP_DOWNLOAD = var.airgap_dir != null || !local.newer ? "true" : "false"
      K3S_TOKEN                 = local.token
    })
    depends_on = [task.service.stopped_agent]
  }

  task "service" "units_agent" {
    when          = local.systemd && task.command.install_agent[host.name].changed
    daemon_reload = true
  }

  task "service" "k3s_agent" {
    name       = "k3s-agent"
    state      = "started"
    restart_on = [local.agent_inputs, var.k3s_version]
    depends_on = [task.service.units_agent]
  }
}

locals {
  agent_envs = merge(local.envs, {
    INSTALL_K3S_SYSTEMD_DIR = var.systemd_dir
    INSTALL_K3S_EXEC        = trimspace("agent --server ${local.url} ${var.extra_agent_args}")
  })
  agent_inputs = sha256(jsonencode(local.agent_envs))
}
