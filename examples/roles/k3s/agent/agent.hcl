# Agents: they join the cluster of the servers.

import {
  source = "../server"
}

stage "agents" {
  after = ["servers"]
}

block "agent" {
  stage = "agents"
  hosts = local.agents

  task "command" "agent_version" {
    argv        = ["sh", "-c", "command -v k3s >/dev/null || exit 0; k3s --version"]
    read_only   = true
    failed_when = false
  }

  task "directory" "agent_config" {
    path = "/etc/rancher/k3s"
    mode = "0755"
  }

  task "download" "agent_script" {
    when       = var.airgap_dir == null && local.agent_is_old
    url        = var.install_url
    sha256     = var.install_sha256
    unverified = var.install_sha256 == null
    dest       = "/usr/local/bin/k3s-install.sh"
    owner      = "root"
    group      = "root"
    mode       = "0755"
  }

  task "command" "install_agent" {
    argv        = ["sh", "-c", local.install, "install", local.agent_inputs, local.installed]
    unless      = ["grep", "-qx", local.agent_inputs, local.installed]
    environment = merge(local.agent_install, { INSTALL_K3S_SKIP_DOWNLOAD = var.airgap_dir == null && local.agent_is_old ? "false" : "true" })
    depends_on  = [task.download.agent_script, task.directory.agent_config]
  }

  task "copy" "agent_config" {
    when       = var.agent_config_yaml != ""
    dest       = "/etc/rancher/k3s/config.yaml"
    content    = var.agent_config_yaml
    mode       = "0644"
    depends_on = [task.directory.agent_config]
  }

  task "block_in_file" "agent_env" {
    when       = length(var.extra_service_envs) > 0
    path       = local.agent_env
    block      = local.service_envs
    create     = true
    mode       = "0600"
    depends_on = [task.command.install_agent]
  }

  # Takes the place of another token.
  task "line_in_file" "agent_token" {
    path       = local.agent_env
    match      = "^K3S_TOKEN="
    line       = "K3S_TOKEN=${local.token}"
    create     = true
    mode       = "0600"
    depends_on = [task.command.install_agent, task.block_in_file.agent_env]
  }

  task "service" "agent" {
    name    = "k3s-agent"
    state   = "started"
    enabled = true
    restart_on = [
      local.agent_inputs, sha256(nonsensitive(local.token)), local.service_envs, var.agent_config_yaml,
    ]
    depends_on = [task.line_in_file.agent_token, task.copy.agent_config]
  }
}

locals {
  agent_has    = try(regex("v[0-9]\\S*", task.command.agent_version[host.name].stdout), "")
  agent_is_old = local.agent_has == "" || versioncompare(trimprefix(coalesce(local.agent_has, "v0"), "v"), trimprefix(var.k3s_version, "v")) < 0
}
