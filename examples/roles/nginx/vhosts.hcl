# Virtual hosts: a file each. The file of the first name of a virtual host is named after it.

locals {
  vhosts = { for v in var.vhosts : v.filename != null ? v.filename : "${split(" ", v.server_name)[0]}.conf" => v }
}

block "vhosts" {
  hosts      = local.hosts
  depends_on = [block.redhat, block.debian, block.freebsd, block.openbsd, block.arch, block.suse]

  task "file" "default_vhost" {
    when   = var.remove_default_vhost
    path   = local.system.default_vhost
    state  = "absent"
    notify = [handler.command.validate, handler.service.restart]
  }

  task "directory" "vhosts" {
    path   = local.system.vhost_path
    mode   = "0755"
    notify = [handler.command.validate, handler.service.reload]
  }

  task "template" "vhost" {
    for_each   = local.vhosts
    when       = each.value.state != "absent"
    dest       = "${local.system.vhost_path}/${each.key}"
    template   = coalesce(each.value.template, var.vhost_template, file("templates/vhost.conf.tmpl"))
    vars       = { vhost = each.value, listen_ipv6 = var.listen_ipv6 }
    owner      = "root"
    group      = local.system.root_group
    mode       = "0644"
    notify     = [handler.command.validate, handler.service.reload]
    depends_on = [task.directory.vhosts]
  }

  task "file" "absent_vhost" {
    for_each = local.vhosts
    when     = each.value.state == "absent"
    path     = "${local.system.vhost_path}/${each.key}"
    state    = "absent"
    notify   = [handler.command.validate, handler.service.reload]
  }

  # Older versions of the role had all virtual hosts in one file.
  task "file" "former_vhosts" {
    path   = "${local.system.vhost_path}/vhosts.conf"
    state  = "absent"
    notify = [handler.command.validate, handler.service.reload]
  }
}
