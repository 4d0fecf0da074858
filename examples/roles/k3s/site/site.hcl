# A cluster of k3s: nodes are prepared, then servers and agents set up.

import {
  source = "../prereq"
}

import {
  source = "../raspberrypi"
}

import {
  source = "../server"
}

import {
  source = "../agent"
}

import "airgap" {
  source = "../airgap"
  inputs = { hosts = local.nodes, folder = var.airgap_dir, install_url = var.install_url, facts = local.facts }
}

# The script without the internet, as far as it goes before servers and agents are known to it.
block "airgap" {
  stage      = "prepare"
  when       = var.airgap_dir != null
  depends_on = [import.airgap]

  task "command" "airgap_server" {
    hosts       = local.servers
    argv        = ["/usr/local/bin/k3s-install.sh"]
    creates     = "/usr/local/bin/k3s-uninstall.sh"
    environment = { INSTALL_K3S_SKIP_ENABLE = "true", INSTALL_K3S_SKIP_DOWNLOAD = "true" }
  }

  task "command" "airgap_agent" {
    hosts       = local.agents
    argv        = ["/usr/local/bin/k3s-install.sh"]
    creates     = "/usr/local/bin/k3s-agent-uninstall.sh"
    environment = { INSTALL_K3S_SKIP_ENABLE = "true", INSTALL_K3S_SKIP_DOWNLOAD = "true", INSTALL_K3S_EXEC = "agent" }
  }
}

output "api" {
  value = local.url
}
