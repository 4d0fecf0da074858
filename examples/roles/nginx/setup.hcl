# How nginx is installed, by family of systems.

block "redhat" {
  hosts = local.hosts
  when  = local.family == "rhel"

  task "template" "repository" {
    when     = var.upstream_repository
    dest     = "/etc/yum.repos.d/nginx.repo"
    template = file("templates/nginx.repo.tmpl")
    vars     = { release = split(".", local.facts.os_version)[0] }
    owner    = "root"
    group    = "root"
    mode     = "0644"
  }

  task "package" "redhat" {
    names      = [var.package_name]
    depends_on = [task.template.repository]
  }
}

block "ubuntu" {
  hosts = local.hosts
  when  = local.kernel == "Linux" && local.facts.os_id == "ubuntu"

  task "package" "dirmngr" {
    names = ["dirmngr"]
  }

  task "apt_repository" "ppa" {
    when = var.ppa != null
    name = "nginx-ppa"
    ppa  = "nginx/${var.ppa == null ? "stable" : var.ppa}"
    key  = var.ppa_key
  }

  # A package that Ubuntu brought makes way for that of the archive.
  task "package" "replaced" {
    when  = task.apt_repository.ppa[host.name].changed
    names = [var.package_name]
    state = "absent"
  }
}

block "debian" {
  hosts      = local.hosts
  when       = local.family == "debian"
  depends_on = [block.ubuntu]

  # Reading lists again is no change.
  task "package" "lists" {
    max_list_age = "24h"
    changed_when = false
  }

  task "package" "debian" {
    names      = [var.package_name]
    release    = var.default_release
    depends_on = [task.package.lists]
  }
}

# kinit is not tested on the BSDs: their packages are commands here.
block "freebsd" {
  hosts = local.hosts
  when  = local.family == "freebsd"

  task "command" "freebsd_lists" {
    argv        = ["pkg", "update", "-f"]
    environment = { ASSUME_ALWAYS_YES = "yes" }
  }

  task "command" "freebsd" {
    argv       = ["pkg", "install", "-y", var.package_name]
    unless     = ["pkg", "info", "-e", var.package_name]
    depends_on = [task.command.freebsd_lists]
  }

  task "directory" "freebsd_logs" {
    path       = "/var/log/nginx"
    mode       = "0755"
    depends_on = [task.command.freebsd]
  }
}

block "openbsd" {
  hosts = local.hosts
  when  = local.family == "openbsd"

  task "command" "openbsd" {
    argv   = ["pkg_add", "${var.package_name}--"]
    unless = ["pkg_info", "-e", "${var.package_name}-*"]
  }

  task "directory" "openbsd_logs" {
    path       = "/var/log/nginx"
    mode       = "0755"
    depends_on = [task.command.openbsd]
  }
}

block "arch" {
  hosts = local.hosts
  when  = local.family == "arch"

  task "package" "arch" {
    names = [var.package_name]
  }
}

block "suse" {
  hosts = local.hosts
  when  = local.family == "suse"

  task "zypper_repository" "nginx" {
    when     = var.upstream_repository
    name     = "nginx"
    url      = "http://nginx.org/packages/sles/${split(".", local.facts.os_version)[0]}"
    gpgcheck = false
  }

  task "package" "suse" {
    names      = [var.package_name]
    depends_on = [task.zypper_repository.nginx]
  }
}
