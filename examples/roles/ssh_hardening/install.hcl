block "install" {
  hosts = local.hosts

  task "package" "openssh" {
    names = local.system.packages
  }

  # Debian's server is started by a socket, whose ports are not those of its file.
  block "socket" {
    depends_on = [task.package.openssh]
    when = (var.server_hardening && var.server_enabled &&
      (
        local.facts.os_id == "ubuntu"
        ? versioncompare(local.facts.os_version, "22.04") >= 0
        : local.facts.os_family == "debian" && local.release >= 12
    ))

    task "service" "socket" {
      name    = "ssh.socket"
      state   = "stopped"
      enabled = false
      masked  = true
    }

    task "file" "socket" {
      for_each = [
        "ssh.service.d/00-socket.conf", "ssh.service.requires/ssh.socket", "sockets.target.wants/ssh.socket",
      ]
      path       = "/etc/systemd/system/${each.key}"
      state      = "absent"
      depends_on = [task.service.socket]
    }

    task "service" "started" {
      name       = local.system.service
      state      = "started"
      enabled    = true
      depends_on = [task.file.socket]
    }
  }

  task "directory" "privileges" {
    when  = var.server_hardening && var.server_enabled && local.facts.os_family == "debian"
    path  = "/run/sshd"
    owner = "root"
    group = "root"
    mode  = "0755"
  }

  task "service" "installed" {
    name       = local.system.service
    enabled    = var.server_service_enabled
    depends_on = [task.package.openssh]
  }
}
