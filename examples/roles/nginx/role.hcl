# nginx with its configuration and virtual hosts.

locals {
  hosts = var.hosts == null ? run.hosts : var.hosts
}

# kinit's facts are for Linux; the kernel's name is known everywhere.
task "command" "kernel" {
  hosts     = local.hosts
  argv      = ["uname", "-s"]
  read_only = true
}

task "facts" "host" {
  hosts = local.hosts
  when  = trimspace(task.command.kernel[host.name].stdout) == "Linux"
}

locals {
  kernel = trimspace(task.command.kernel[host.name].stdout)
  facts  = task.facts.host[host.name]
  family = local.kernel == "Linux" ? local.facts.os_family : lower(local.kernel)

  # What differs between families of systems, over what most of them have.
  common = {
    root_group    = "root"
    user          = "nginx"
    conf_path     = "/etc/nginx/conf.d"
    conf_file     = "/etc/nginx/nginx.conf"
    mime_file     = "/etc/nginx/mime.types"
    pid_file      = "/run/nginx.pid"
    vhost_path    = "/etc/nginx/conf.d"
    default_vhost = "/etc/nginx/conf.d/default.conf"
  }
  sites = { vhost_path = "/etc/nginx/sites-enabled", default_vhost = "/etc/nginx/sites-enabled/default" }
  families = {
    debian = merge(local.sites, { user = "www-data" })
    arch   = merge(local.sites, { user = "http" })
    freebsd = {
      root_group    = "wheel"
      user          = "www"
      conf_path     = "/usr/local/etc/nginx/conf.d"
      conf_file     = "/usr/local/etc/nginx/nginx.conf"
      mime_file     = "/usr/local/etc/nginx/mime.types"
      pid_file      = "/var/run/nginx.pid"
      vhost_path    = "/usr/local/etc/nginx/sites-enabled"
      default_vhost = "/usr/local/etc/nginx/sites-enabled/default"
    }
    openbsd = merge(local.sites, { root_group = "wheel", user = "www", pid_file = "/var/run/nginx.pid" })
  }
  system = merge(local.common, lookup(local.families, local.family, {}))
  user   = coalesce(var.user, local.system.user)
}

task "template" "conf" {
  hosts    = local.hosts
  dest     = local.system.conf_file
  template = var.conf_template == null ? file("templates/nginx.conf.tmpl") : var.conf_template
  owner    = "root"
  group    = local.system.root_group
  mode     = "0644"
  vars = {
    user                          = local.user
    error_log                     = var.error_log
    pid_file                      = local.system.pid_file
    worker_processes              = coalesce(var.worker_processes, try(local.facts.cpus, "auto"))
    extra_conf_options            = var.extra_conf_options
    worker_connections            = var.worker_connections
    multi_accept                  = var.multi_accept
    mime_file                     = local.system.mime_file
    server_names_hash_bucket_size = var.server_names_hash_bucket_size
    client_max_body_size          = var.client_max_body_size
    log_format                    = var.log_format
    access_log                    = var.access_log
    sendfile                      = var.sendfile
    tcp_nopush                    = var.tcp_nopush
    tcp_nodelay                   = var.tcp_nodelay
    keepalive_timeout             = var.keepalive_timeout
    keepalive_requests            = var.keepalive_requests
    server_tokens                 = var.server_tokens
    proxy_cache_path              = var.proxy_cache_path
    extra_http_options            = var.extra_http_options
    upstreams                     = var.upstreams
    conf_path                     = local.system.conf_path
    vhost_path                    = local.system.vhost_path
  }
  notify     = [handler.command.validate, handler.service.reload]
  depends_on = [block.vhosts]
}

task "service" "nginx" {
  hosts      = local.hosts
  name       = "nginx"
  state      = var.service_state
  enabled    = var.service_enabled
  depends_on = [task.template.conf]
}
