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

  import "agent_script" {
    source = "../script"
    inputs = {
      k3s_version    = var.k3s_version
      airgap_dir     = var.airgap_dir
      install_url    = var.install_url
      install_sha256 = var.install_sha256
    }
  }

  import "agent" {
    source = "../install"
    inputs = {
      environment  = local.agent_install
      checksum     = local.agent_inputs
      download     = import.agent_script.download
      service_env  = local.agent_env
      service_envs = local.service_envs
    }
    depends_on = [import.agent_script]
  }

  task "copy" "agent_config" {
    when       = var.agent_config_yaml != ""
    dest       = "/etc/rancher/k3s/config.yaml"
    content    = var.agent_config_yaml
    mode       = "0644"
    depends_on = [import.agent_script]
  }

  # Takes the place of another token.
  task "line_in_file" "agent_token" {
    path       = local.agent_env
    match      = "^K3S_TOKEN="
    line       = "K3S_TOKEN=${local.token}"
    create     = true
    mode       = "0600"
    depends_on = [import.agent]
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
