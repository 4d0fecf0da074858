# Brings the files of a folder to hosts without the internet.

variable "hosts" {
  type        = list(string)
  description = "The hosts."
}

variable "folder" {
  type        = string
  description = "The folder on the machine that kinit runs on; nothing is done without one."
}

variable "install_url" {
  type        = string
  description = "Where the script of installation is from, if the folder has none."
}

variable "facts" {
  description = "Those of the host, as the module facts returns them."
}

locals {
  files    = var.folder == null ? [] : [for name in fileset(var.folder) : name if !strcontains(name, "/")]
  programs = ["k3s-${local.arch}", "k3s"]
  program  = try([for name in local.programs : name if contains(local.files, name)][0], null)
  images   = [for name in local.files : name if can(regex("\\.tar(\\.gz|\\.zst)?$", name))]

  # What others depend on comes first.
  packages = flatten([
    for prefix in ["container-selinux", "selinux-policy", "k3s-selinux"] :
    [for name in local.files : name if startswith(name, prefix) && endswith(name, ".rpm")]
  ])
  arch = lookup({ aarch64 = "arm64", armv7l = "arm" }, var.facts.machine, "amd64")
}

block "script" {
  when = var.folder != null

  task "stat" "script" {
    path = "${coalesce(var.folder, "")}/k3s-install.sh"
  }

  task "download" "script" {
    when       = !task.stat.script.exists
    url        = var.install_url
    dest       = task.stat.script.path
    unverified = true
    mode       = "0755"
  }
}

block "distribute" {
  hosts      = var.hosts
  when       = var.folder != null
  depends_on = [block.script]

  task "copy" "script" {
    source = task.stat.script.exists ? task.stat.script.path : task.download.script.path
    dest   = "/usr/local/bin/k3s-install.sh"
    owner  = "root"
    group  = "root"
    mode   = "0755"
  }

  task "copy" "program" {
    when   = local.program != null
    source = "${coalesce(var.folder, "")}/${coalesce(local.program, "k3s")}"
    dest   = "/usr/local/bin/k3s"
    owner  = "root"
    group  = "root"
    mode   = "0755"
  }

  block "selinux" {
    when = contains(["rhel", "suse"], var.facts.os_family) && length(local.packages) > 0

    task "copy" "packages" {
      for_each = local.packages
      source   = "${coalesce(var.folder, "")}/${each.key}"
      dest     = "/tmp/${each.key}"
      owner    = "root"
      group    = "root"
      mode     = "0755"
    }

    task "package" "selinux" {
      files                = [for name in local.packages : "/tmp/${name}"]
      disable_repositories = ["*"]
      depends_on           = [task.copy.packages]
    }
  }

  task "directory" "images" {
    path = "/var/lib/rancher/k3s/agent/images"
    mode = "0755"
  }

  task "copy" "image" {
    for_each = local.images
    source   = "${coalesce(var.folder, "")}/${each.key}"
    dest     = "${task.directory.images[host.name].path}/${each.key}"
    owner    = "root"
    group    = "root"
    mode     = "0755"
  }
}
