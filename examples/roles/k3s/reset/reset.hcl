# Removes the cluster from its nodes.

import {
  source = "../shared"
}

task "command" "uninstall_server" {
  hosts   = local.servers
  argv    = ["/usr/local/bin/k3s-uninstall.sh"]
  removes = "/usr/local/bin/k3s-uninstall.sh"
}

task "command" "uninstall_agent" {
  hosts   = local.agents
  argv    = ["/usr/local/bin/k3s-agent-uninstall.sh"]
  removes = "/usr/local/bin/k3s-agent-uninstall.sh"
}

block "files" {
  hosts      = local.nodes
  depends_on = [task.command.uninstall_server, task.command.uninstall_agent]

  task "file" "kubeconfig" {
    path  = "~${var.user}/.kube/config"
    state = "absent"
  }

  task "file" "script" {
    path  = "/usr/local/bin/k3s-install.sh"
    state = "absent"
  }

  # The folder stays, which may be another file system.
  task "shell" "data" {
    commands = "find ${var.k3s_server_location} -mindepth 1 -delete"
    only_if  = "[ -n \"$(find ${var.k3s_server_location} -mindepth 1 2>/dev/null | head -n 1)\" ]"
  }

  task "file" "config" {
    for_each = ["config.yaml", "installed"]
    path     = "/etc/rancher/k3s/${each.key}"
    state    = "absent"
  }
}

task "line_in_file" "bashrc" {
  hosts = local.servers
  path  = "~${var.user}/.bashrc"
  match = "Added by k3s-ansible"
  state = "absent"
}
