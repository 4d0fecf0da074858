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
  installed_version = regex("v[0-9]\\S*", task.command.version[host.name].stdout)
  order             = versioncompare(trimprefix(local.installed_version, "v"), trimprefix(var.k3s_version, "v"))
  upgrade           = local.order <= 0
  newer             = local.order < 0
  download          = local.newer && var.airgap_dir == null
}

import "airgap" {
  source = "../airgap"
  inputs = { hosts = local.nodes, folder = var.airgap_dir, install_url = var.install_url, facts = local.facts }
}

# The random token of the first server, if none was given.
task "read_file" "old_token" {
  stage     = "look"
  hosts     = slice(local.servers, 0, min(1, length(local.servers)))
  when      = var.token == null && local.upgrade
  path      = "/var/lib/rancher/k3s/server/token"
  sensitive = true
}

locals {
  token = var.token != null ? var.token : trimspace(task.read_file.old_token[local.first_server].content)
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
    dest = "/etc/rancher/k3s/config.yaml"
    content = yamlencode(merge(
      var.token == null && host.name == local.first_server ? {} : { token = local.token },
      local.server_config,
    ))
    mode       = "0600"
    depends_on = [task.service.stopped]
  }

  import "server" {
    source = "../install"
    inputs = {
      environment  = local.server_install
      checksum     = local.server_inputs
      download     = local.download
      service_env  = local.server_env
      service_envs = local.service_envs
    }
    depends_on = [task.copy.config]
  }

  task "service" "units" {
    when          = local.systemd && import.server.changed
    daemon_reload = true
  }

  task "service" "k3s" {
    name       = "k3s"
    state      = "started"
    restart_on = [task.copy.config[host.name].sha256, local.server_inputs, local.service_envs]
    depends_on = [task.service.units, import.server]
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

  import "agent" {
    source = "../install"
    inputs = {
      environment  = merge(local.agent_install, { K3S_TOKEN = local.token })
      checksum     = local.agent_inputs
      download     = local.download
      service_env  = local.agent_env
      service_envs = local.service_envs
    }
    depends_on = [task.service.stopped_agent]
  }

  task "service" "units_agent" {
    when          = local.systemd && import.agent.changed
    daemon_reload = true
  }

  task "service" "k3s_agent" {
    name       = "k3s-agent"
    state      = "started"
    restart_on = [local.agent_inputs, sha256(nonsensitive(local.token)), local.service_envs, var.agent_config_yaml]
    depends_on = [task.service.units_agent, import.agent]
  }
}
