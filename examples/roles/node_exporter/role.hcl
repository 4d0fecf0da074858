# Prometheus' exporter of a host's metrics, on what all exporters have in common.

locals {
  hosts = var.hosts == null ? run.hosts : var.hosts
  user  = coalesce(var.system_user, var.system_group)
  version = (
    var.version == "latest"
    ? trimprefix(jsondecode(task.http_request.latest.body).tag_name, "v")
    : var.version
  )
  headers = var.github_token == null ? {} : { Authorization = "Bearer ${var.github_token}" }
  collectors = var.enabled_collectors != null ? var.enabled_collectors : {
    systemd  = {}
    textfile = { directory = var.textfile_dir }
  }
  tls        = { for name, value in var.tls_server_config : name => value if value != null }
  http       = { for name, value in var.http_server_config : name => value if value != null }
  web_config = length(local.tls) + length(local.http) + length(nonsensitive(keys(var.basic_auth_users))) > 0
}

task "facts" "host" {
  hosts = local.hosts
}

task "package_facts" "host" {
  hosts = local.hosts
}

locals {
  facts   = task.facts.host[host.name]
  systemd = try(regex("^[0-9]+", task.package_facts.host[host.name].versions.systemd), "0")
}

# Preflight, install, SELinux and configure are blocks of it.
import "common" {
  source = "./common"
  inputs = {
    hosts         = local.hosts
    facts         = local.facts
    service       = "node_exporter"
    system_user   = local.user
    system_group  = var.system_group
    config_dir    = var.config_dir
    architectures = var.architectures
    archives = {
      for arch in var.architectures :
      arch => "${var.releases_url}/v${local.version}/node_exporter-${local.version}.linux-${arch}.tar.gz"
    }
    checksums_url        = "${var.releases_url}/v${local.version}/sha256sums.txt"
    headers              = local.headers
    binaries             = ["node_exporter"]
    binary_install_dir   = var.binary_install_dir
    local_cache_path     = "${var.local_cache_path}/${local.version}"
    web_listen_addresses = var.web_listen_addresses
    tls_server_config    = local.tls
    http_server_config   = local.http
    basic_auth_users     = var.basic_auth_users
    unit                 = file("templates/node_exporter.service.tmpl")
    unit_values = {
      user                 = local.user
      group                = var.system_group
      program              = "${var.binary_install_dir}/node_exporter"
      collectors           = local.collectors
      disabled_collectors  = var.disabled_collectors
      web_config           = local.web_config ? "${var.config_dir}/web_config.yml" : ""
      new_options          = versioncompare(local.version, "1.5.0") >= 0
      no_metrics_of_itself = var.web_disable_exporter_metrics
      log_level            = var.log_level
      log_format           = var.log_format
      listen_addresses     = var.web_listen_addresses
      telemetry_path       = var.web_telemetry_path
      protect_home = (
        anytrue([for path in concat(keys(local.facts.mounts), [var.textfile_dir]) : startswith(path, "/home")])
        ? "read-only"
        : "yes"
      )
      protect_system_strictly = tonumber(local.systemd) >= 232
    }
  }
  depends_on = [block.preflight]
}

block "configure" {
  hosts      = local.hosts
  depends_on = [import.common]

  task "directory" "textfile" {
    when  = var.textfile_dir != ""
    path  = var.textfile_dir
    owner = local.user
    group = var.system_group
    mode  = "0775"
  }
}

# The service restarts if the unit, the program or the web configuration is another one than it was
# started with, also after a run that ended before the restart.
task "service" "node_exporter" {
  hosts      = local.hosts
  name       = "node_exporter"
  state      = "started"
  enabled    = true
  restart_on = import.common.started_with
  depends_on = [block.configure]
}
