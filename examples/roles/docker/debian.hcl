block "debian" {
  hosts = local.hosts
  when  = local.facts.os_family == "debian"

  # What older ways of installation have left.
  task "file" "trusted_key" {
    path  = "/etc/apt/trusted.gpg.d/docker.asc"
    state = "absent"
  }

  task "file" "old_list" {
    path  = "/etc/apt/sources.list.d/download_docker_com_linux_${local.apt_distribution}.list"
    state = "absent"
  }

  task "package" "obsolete_debian" {
    names = local.obsolete
    state = "absent"
  }

  task "file" "legacy_list" {
    path  = "/etc/apt/sources.list.d/docker.list"
    state = "absent"
  }

  task "package" "certificates" {
    names = ["ca-certificates"]
  }

  # A key from where the packages are from proves little: give repository_key.
  task "http_request" "key" {
    when = var.add_repository && var.repository_key == null
    url  = "${var.repository_url}/${local.apt_distribution}/gpg"
  }

  # apt reads the lists of the repository at once when it changes.
  task "apt_repository" "docker" {
    name       = var.apt_filename
    uris       = ["${var.repository_url}/${local.apt_distribution}"]
    suites     = [local.facts.os_codename]
    components = [var.apt_release_channel]
    key        = local.apt_key
    state      = var.add_repository ? "present" : "absent"
    depends_on = [
      task.file.trusted_key, task.file.old_list, task.file.legacy_list, task.package.certificates,
      task.package.obsolete_debian,
    ]
  }
}

locals {
  apt_key = (
    var.repository_key != null
    ? var.repository_key
    : var.add_repository ? task.http_request.key[host.name].body : null
  )
  apt_distribution = coalesce(
    var.apt_distribution,
    contains(["pop", "linuxmint"], local.facts.os_id) ? "ubuntu" : local.facts.os_id,
  )
}
