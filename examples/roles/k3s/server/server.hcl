# Servers: the first one begins the cluster, the others join it.

import {
  source = "../shared"
}

stage "servers" {
  after = ["prepare"]
}

block "server" {
  stage = "servers"
  hosts = local.servers

  import "server_script" {
    source = "../script"
    inputs = {
      k3s_version    = var.k3s_version
      airgap_dir     = var.airgap_dir
      install_url    = var.install_url
      install_sha256 = var.install_sha256
    }
  }

  import "server" {
    source = "../install"
    inputs = {
      environment  = local.server_install
      checksum     = local.server_inputs
      download     = import.server_script.download
      service_env  = local.server_env
      service_envs = local.service_envs
    }
    depends_on = [import.server_script]
  }

  task "stat" "bashrc" {
    path = "~${var.user}/.bashrc"
  }

  task "line_in_file" "k3s_completion" {
    when       = task.stat.bashrc[host.name].exists
    path       = task.stat.bashrc[host.name].path
    match      = "\\.\\s+<\\(k3s completion bash\\)"
    line       = ". <(k3s completion bash)  # Added by k3s-ansible"
    depends_on = [import.server]
  }

  task "service" "units" {
    when          = local.systemd && import.server.changed
    daemon_reload = true
  }

  # The token is in the settings.
  task "line_in_file" "server_token" {
    path = local.server_env
    match = (
      var.token == null
      ? "^K3S_TOKEN="
      : "^K3S_TOKEN=\\s*(?!${replace(var.token, "/[^A-Za-z0-9]/", "\\$0")}\\s*$)"
    )
    state      = "absent"
    create     = false
    secret     = true
    depends_on = [import.server]
  }
}

block "first" {
  stage      = "servers"
  hosts      = slice(local.servers, 0, min(1, length(local.servers)))
  depends_on = [block.server]

  task "copy" "first_config" {
    dest    = "/etc/rancher/k3s/config.yaml"
    content = yamlencode(merge(var.token == null ? {} : { token = var.token }, local.server_config))
    mode    = "0600"
  }

  task "service" "first" {
    name       = "k3s"
    state      = "started"
    enabled    = true
    restart_on = [task.copy.first_config[host.name].sha256, local.server_inputs, local.service_envs]
  }

  task "wait" "first" {
    port       = var.api_port
    within     = "3m"
    evidence   = [["journalctl", "-u", "k3s", "-n", "30", "--no-pager"]]
    depends_on = [task.service.first]
  }

  block "random_token" {
    when       = var.token == null
    depends_on = [task.wait.first]

    task "wait" "token" {
      path = "/var/lib/rancher/k3s/server/token"
    }

    task "read_file" "token" {
      path       = "/var/lib/rancher/k3s/server/token"
      sensitive  = true
      depends_on = [task.wait.token]
    }
  }
}

locals {
  token = var.token != null ? var.token : trimspace(task.read_file.token[local.first_server].content)
}

# One after the other: the servers' database keeps its majority.
block "others" {
  stage      = "servers"
  hosts      = local.other_servers
  serial     = 1
  depends_on = [block.first]

  task "copy" "other_config" {
    dest    = "/etc/rancher/k3s/config.yaml"
    content = yamlencode(merge({ token = local.token }, local.server_config))
    mode    = "0600"
  }

  task "service" "other" {
    name       = "k3s"
    state      = "started"
    enabled    = true
    restart_on = [task.copy.other_config[host.name].sha256, local.server_inputs, local.service_envs]
  }

  task "command" "joined" {
    argv = [
      "k3s", "kubectl", "get", "nodes", "-l", "node-role.kubernetes.io/control-plane=true",
      "-o=jsonpath={.items[*].metadata.name}",
    ]
    read_only  = true
    until      = contains(split(" ", trimspace(result.stdout)), local.facts.hostname)
    depends_on = [task.service.other]
    retry {
      attempts = 20
      delay    = "10s"
    }
  }
}

task "command" "all_joined" {
  stage = "servers"
  hosts = local.several ? [local.first_server] : []
  argv = [
    "k3s", "kubectl", "get", "nodes", "-l", "node-role.kubernetes.io/control-plane=true",
    "-o=jsonpath={.items[*].metadata.name}",
  ]
  read_only  = true
  until      = length(split(" ", trimspace(result.stdout))) == length(local.servers)
  depends_on = [block.others]
  retry {
    attempts = 20
    delay    = "10s"
  }
}

task "wait" "api" {
  stage      = "servers"
  hosts      = local.servers
  run_once   = true
  address    = local.endpoint
  port       = var.api_port
  within     = "1m"
  depends_on = [block.others]
}
