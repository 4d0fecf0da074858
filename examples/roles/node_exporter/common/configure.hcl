# The unit, and the configuration of the exporter's web server.
block "configure" {
  hosts      = var.hosts
  depends_on = [block.install, block.selinux]

  task "template" "unit" {
    dest     = "/etc/systemd/system/${var.service}.service"
    template = var.unit
    vars     = var.unit_values
    owner    = "root"
    group    = "root"
    mode     = "0644"
  }

  task "service" "units" {
    when          = task.template.unit[host.name].changed
    daemon_reload = true
  }

  task "directory" "config" {
    when  = var.config_dir != ""
    path  = var.config_dir
    owner = var.system_user
    group = var.system_group
    mode  = "0775"
  }

  # Hashes have salts, so the host keeps them: a hash that fits the password stays.
  task "htpasswd" "user" {
    for_each   = nonsensitive(keys(var.basic_auth_users))
    path       = "${var.config_dir}/users"
    user       = each.key
    password   = var.basic_auth_users[each.key]
    cost       = 9
    depends_on = [task.directory.config]
  }

  task "read_file" "users" {
    when       = length(nonsensitive(keys(var.basic_auth_users))) > 0
    path       = "${var.config_dir}/users"
    depends_on = [task.htpasswd.user]
  }

  task "copy" "web_config" {
    when = (
      length(var.tls_server_config) +
      length(var.http_server_config) +
      length(nonsensitive(keys(var.basic_auth_users))) > 0
    )
    dest = "${var.config_dir}/web_config.yml"
    content = yamlencode(merge(
      length(var.tls_server_config) > 0 ? { tls_server_config = var.tls_server_config } : {},
      length(var.http_server_config) > 0 ? { http_server_config = var.http_server_config } : {},
      length(nonsensitive(keys(var.basic_auth_users))) == 0 ? {} : { basic_auth_users = {
        for line in compact(split("\n", task.read_file.users[host.name].content)) :
        split(":", line)[0] => split(":", line)[1]
        if contains(nonsensitive(keys(var.basic_auth_users)), split(":", line)[0])
      } },
    ))
    owner      = var.system_user
    group      = var.system_group
    mode       = "0644"
    depends_on = [task.directory.config]
  }
}

# What a running exporter was started with: a service with it in restart_on restarts when it changes.
output "started_with" {
  value = concat(
    [task.template.unit[host.name].sha256],
    [for name in var.binaries : task.copy.program[host.name][name].sha256],
    [coalesce(task.copy.web_config[host.name].sha256, "none")],
  )
}
