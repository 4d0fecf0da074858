# Docker, from its own repository or from the distribution's.

locals {
  hosts = var.hosts == null ? run.hosts : var.hosts
}

task "facts" "host" {
  hosts = local.hosts
}

locals {
  facts   = task.facts.host[host.name]
  release = tonumber(coalesce(try(regex("^[0-9]+", local.facts.os_version), null), "0"))

  # What differs between systems.
  common = {
    packages = concat(
      ["docker-${var.edition}", "docker-${var.edition}-cli", "docker-${var.edition}-rootless-extras"],
      ["containerd.io", "docker-buildx-plugin"],
    )
    compose = "docker-compose-plugin"
    obsolete = [
      "docker", "docker.io", "docker-engine", "docker-doc", "docker-compose", "docker-compose-v2", "podman-docker",
      "containerd", "runc",
    ]
  }
  families = {
    alpine = { packages = ["docker"], compose = "docker-cli-compose" }
    arch   = { packages = ["docker"], compose = "docker-compose" }
    rhel = {
      obsolete = concat(
        ["docker", "docker-client", "docker-client-latest", "docker-common", "docker-latest"],
        ["docker-latest-logrotate", "docker-logrotate", "docker-engine"],
      )
    }
    suse = {
      packages = ["docker", "containerd", "runc"]
      obsolete = [
        "docker-engine", "docker.io", "docker-ce", "docker-ce-cli", "docker-buildx-plugin", "docker-ce-rootless-extras",
        "containerd.io",
      ]
    }
  }
  system = merge(local.common, lookup(local.families, local.facts.os_family, {}))

  # A text of the command line, or an object.
  daemon_options = try(jsondecode(var.daemon_options), var.daemon_options)

  packages = var.packages != null ? var.packages : local.system.packages
  obsolete = var.obsolete_packages != null ? var.obsolete_packages : local.system.obsolete
}

block "packages" {
  hosts      = local.hosts
  depends_on = [block.redhat, block.suse, block.debian]

  # A version in the name may be older than what is there: it is taken all the same.
  task "package" "docker" {
    names  = local.packages
    state  = var.packages_state
    notify = [handler.service.restart]
  }

  task "package" "compose" {
    when       = var.install_compose_plugin && local.facts.os_family != "suse"
    names      = [coalesce(var.compose_package, local.system.compose)]
    state      = var.compose_package_state
    notify     = [handler.service.restart]
    depends_on = [task.package.docker]
  }
}

block "daemon" {
  hosts      = local.hosts
  depends_on = [block.packages]

  task "directory" "config" {
    when = length(local.daemon_options) > 0
    path = "/etc/docker"
    mode = "0755"
  }

  task "copy" "config" {
    when       = length(local.daemon_options) > 0
    dest       = "/etc/docker/daemon.json"
    content    = "${jsonencode(local.daemon_options)}\n"
    mode       = "0644"
    notify     = [handler.service.restart]
    depends_on = [task.directory.config]
  }

  block "start_command" {
    when = var.service_start_command != ""

    # The file of the unit as systemd finds it.
    task "command" "unit" {
      argv      = ["systemctl", "show", "--value", "--property=FragmentPath", "docker.service"]
      read_only = true
    }

    task "line_in_file" "unit" {
      path   = trimspace(task.command.unit[host.name].stdout)
      match  = "^ExecStart="
      line   = "ExecStart=${var.service_start_command}"
      backup = true
    }

    task "service" "unit" {
      when          = task.line_in_file.unit[host.name].changed
      daemon_reload = true
      notify        = [handler.service.restart]
    }
  }

  task "service" "docker" {
    when       = var.service_manage
    name       = "docker"
    state      = var.service_state
    enabled    = var.service_enabled
    depends_on = [task.copy.config, block.start_command]
  }
}

# Docker's rules for the firewall are there before what follows: handlers do not wait for the end.
block "after" {
  hosts      = local.hosts
  depends_on = [block.daemon]

  task "debug" "restarted" {
    message        = "Docker runs on ${host.name} as it is configured."
    flush_handlers = true
  }
}

handler "service" "restart" {
  when  = var.service_manage
  name  = "docker"
  state = var.restart_handler_state
}
