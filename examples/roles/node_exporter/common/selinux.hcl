# Ports of web servers are those that SELinux knows as such.
locals {
  ports = distinct([for address in var.web_listen_addresses : regex("[0-9]+$", address)])
}

block "selinux" {
  hosts      = var.hosts
  when       = var.facts.selinux != ""
  depends_on = [block.preflight]

  # Clear Linux has bundles, which no module knows.
  task "command" "clearlinux" {
    when   = var.facts.os_id == "clear-linux-os"
    argv   = ["swupd", "bundle-add", "sysadmin-basic"]
    unless = ["test", "-e", "/usr/share/clear/bundles/sysadmin-basic"]
    retry {
      attempts = 5
      delay    = "2s"
    }
  }

  task "selinux_port" "listen" {
    type       = "http_port_t"
    ports      = local.ports
    depends_on = [task.command.clearlinux]
  }
}
