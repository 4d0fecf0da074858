# The user, and the programs of an archive that the machine that kinit runs on fetches.
locals {
  arch = lookup({ armv7l = "armv7", armv6l = "armv6", i386 = "386", i686 = "386" }, var.facts.machine, var.facts.arch)
}

block "account" {
  hosts      = var.hosts
  depends_on = [block.preflight]

  task "getent" "group" {
    database = "group"
    key      = var.system_group
  }

  task "getent" "user" {
    database = "passwd"
    key      = var.system_user
  }

  task "group" "system" {
    when   = !task.getent.group[host.name].exists
    name   = var.system_group
    system = true
  }

  task "user" "system" {
    when        = !task.getent.user[host.name].exists
    name        = var.system_user
    system      = true
    group       = var.system_group
    home        = var.config_dir != "" ? var.config_dir : "/"
    create_home = false
    shell       = "/usr/sbin/nologin"
    depends_on  = [task.group.system]
  }
}

block "download" {
  task "directory" "cache" {
    for_each = var.architectures
    path     = "${var.local_cache_path}/${each.key}"
    mode     = "0755"
  }

  task "download" "archive" {
    for_each   = var.architectures
    url        = var.archives[each.key]
    headers    = var.headers
    dest       = "${task.directory.cache[each.key].path}/${basename(var.archives[each.key])}"
    sha256_url = var.checksums_url
    mode       = "0644"
    retry {
      attempts = 5
      delay    = "2s"
    }
  }

  task "unarchive" "archive" {
    for_each = var.architectures
    archive  = task.download.archive[each.key].path
    dest     = "${task.directory.cache[each.key].path}/unpacked"
    strip    = 1
  }
}

block "install" {
  hosts      = var.hosts
  depends_on = [block.account]

  task "stat" "folder" {
    path = var.binary_install_dir
  }

  task "directory" "folder" {
    when  = !task.stat.folder[host.name].exists
    path  = var.binary_install_dir
    owner = "root"
    group = "root"
    mode  = "0755"
  }

  task "copy" "program" {
    for_each   = var.binaries
    source     = "${task.unarchive.archive[local.arch].path}/${each.key}"
    dest       = "${var.binary_install_dir}/${each.key}"
    owner      = "root"
    group      = "root"
    mode       = "0755"
    depends_on = [task.directory.folder]
  }
}
