# Authorities that sign users' certificates, and the principals that may log in by them.
block "authorities" {
  hosts      = local.hosts
  when       = var.trusted_user_ca_keys_file != "" && length(var.trusted_user_ca_keys) > 0
  depends_on = [block.install]

  task "template" "authorities" {
    dest     = var.trusted_user_ca_keys_file
    template = file("templates/lines.tmpl")
    vars     = { lines = var.trusted_user_ca_keys }
    owner    = "root"
    group    = "root"
    mode     = "0644"
    notify   = [handler.service.restart]
  }

  task "directory" "principals" {
    for_each = { for p in var.authorized_principals : dirname(p.path) => p... }
    path     = each.key
    owner    = coalesce(each.value[0].directoryowner, "root")
    group    = coalesce(each.value[0].directorygroup, "root")
    mode     = each.value[0].directorymode
  }

  task "template" "principals" {
    for_each   = { for p in var.authorized_principals : p.path => p }
    dest       = each.key
    template   = file("templates/lines.tmpl")
    vars       = { lines = each.value.principals }
    owner      = coalesce(each.value.owner, "root")
    group      = coalesce(each.value.group, "root")
    mode       = each.value.filemode
    depends_on = [task.directory.principals]
  }
}
