# The program docker-compose, replaced if it is older than wanted.
block "compose" {
  hosts      = local.hosts
  when       = var.install_compose
  depends_on = [block.after]

  task "command" "compose_version" {
    argv        = ["sh", "-c", "[ ! -x \"$1\" ] || \"$1\" --version", "version", var.compose_path]
    read_only   = true
    failed_when = false
  }

  task "file" "other_compose" {
    when  = local.compose_has != "" && !strcontains(local.compose_has, trimprefix(var.compose_version, "v"))
    path  = var.compose_path
    state = "absent"
  }

  task "download" "compose" {
    when       = local.compose_has == "" || versioncompare(coalesce(local.compose_has, "0"), var.compose_version) < 0
    url        = "${var.compose_url}/${var.compose_version}/docker-compose-linux-${local.facts.machine}"
    sha256_url = "${var.compose_url}/${var.compose_version}/docker-compose-linux-${local.facts.machine}.sha256"
    dest       = var.compose_path
    mode       = "0755"
    depends_on = [task.file.other_compose]
  }
}

locals {
  compose_has = try(regex("[0-9]+(?:\\.[0-9]+)+", task.command.compose_version[host.name].stdout), "")
}
