block "suse" {
  hosts = local.hosts
  when  = local.facts.os_family == "suse"

  task "package" "obsolete_suse" {
    names        = local.obsolete
    state        = "absent"
    changed_when = false
  }

  task "http_request" "key_suse" {
    when = var.add_repository && var.repository_key == null
    url  = "${local.suse_url}repodata/repomd.xml.key"
  }

  task "zypper_repository" "docker" {
    when = var.add_repository
    name = "docker-ce"
    url  = local.suse_url
    key  = var.repository_key != null ? var.repository_key : task.http_request.key_suse[host.name].body
  }

  task "command" "refresh" {
    when         = var.add_repository
    argv         = ["zypper", "--non-interactive", "refresh"]
    changed_when = false
    depends_on   = [task.zypper_repository.docker]
  }

  task "package" "docker_suse" {
    names        = local.packages
    changed_when = false
    depends_on   = [task.command.refresh, task.package.obsolete_suse]
  }

  task "service" "docker_suse" {
    name         = "docker"
    state        = "started"
    enabled      = true
    changed_when = false
    depends_on   = [task.package.docker_suse]
  }
}

locals {
  suse_url = "https://download.opensuse.org/repositories/Virtualization:/containers/${local.suse_release}/"
  suse_release = (
    contains(["15.4", "15.5", "15.6"], local.facts.os_version)
    ? "openSUSE_Leap_${local.facts.os_version}"
    : "openSUSE_Tumbleweed"
  )
}
