# Users in the group docker.
task "getent" "docker" {
  hosts      = local.hosts
  when       = length(var.users) > 0
  database   = "group"
  key        = "docker"
  depends_on = [block.after]
}

locals {
  joins = [
    for name in var.users :
    name if !contains(try(task.getent.docker[host.name].groups.docker.members, []), name)
  ]
}

task "user" "docker" {
  hosts    = local.hosts
  for_each = var.users
  when     = contains(local.joins, each.key)
  name     = each.key
  groups   = ["docker"]
}

# The user who logs in may be one of them: what follows has the new group.
task "connection" "groups" {
  hosts      = local.hosts
  when       = length(local.joins) > 0
  reset      = true
  depends_on = [task.user.docker]
}
