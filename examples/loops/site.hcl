# The loops there are, and how they are mixed. What runs is known before anything does:
# "kinit plan" and "kinit graph" show every instance by its address.

variable "apps" {
  type = map(object({
    port = number
    on   = string # a group
    jobs = optional(map(string), {})
  }))
  default = {
    shop   = { port = 8090, on = "web", jobs = { clean = "daily", index = "hourly" } }
    search = { port = 8091, on = "web", jobs = { index = "weekly" } }
    ledger = { port = 8092, on = "db" }
  }
}

locals {
  # Apps on hosts: a loop in a loop, flattened into a map whose keys say which is which.
  # It grows and shrinks without moving anything else, as a list would.
  placed = merge([for app, a in var.apps : {
    for host in groups[a.on] : "${host}/${app}" => { host = host, app = app, port = a.port, jobs = a.jobs }
  }]...)

  # Jobs of apps on hosts: one loop more.
  jobs = merge([for key, p in local.placed : {
    for job, when in p.jobs : "${key}/${job}" => { host = p.host, app = p.app, job = job, when = when }
  }]...)
}

# Hosts: one instance each, with host.name and what the inventory knows of it.
task "facts" "host" {
  hosts = run.hosts
}

task "directory" "root" {
  hosts = run.hosts
  path  = "/srv/apps"
  mode  = "0755"
}

# Hosts with a condition that needs an answer from the host: asked when it is known.
task "copy" "limits" {
  hosts      = run.hosts
  when       = task.facts.host[host.name].os_id == "debian"
  dest       = "/srv/apps/limits"
  content    = "workers = ${task.facts.host[host.name].cpus}\n"
  mode       = "0644"
  depends_on = [task.directory.root]
}

# Hosts with a condition that the inventory answers: the others are no instances at all.
task "copy" "database" {
  hosts      = [for name in run.hosts : name if contains(hosts[name].groups, "db")]
  dest       = "/srv/apps/database"
  content    = "here\n"
  mode       = "0644"
  depends_on = [task.directory.root]
}

# A set, on one host: each.key and each.value are the same.
task "directory" "shared" {
  for_each   = toset(["cache", "uploads"])
  host       = groups.db[0]
  path       = "/srv/apps/${each.key}"
  mode       = "0755"
  depends_on = [task.directory.root]
}

# A map, each instance on the host that it names.
task "directory" "app" {
  for_each   = local.placed
  host       = each.value.host
  path       = "/srv/apps/${each.value.app}"
  mode       = "0755"
  depends_on = [task.directory.root]
}

# An instance stands on the one with the same key, not on all of them.
task "copy" "app" {
  for_each = local.placed
  host     = each.value.host
  dest     = "${task.directory.app[each.key].path}/app.conf"
  content  = "port = ${each.value.port}\n"
  mode     = "0644"
}

# Nested, with a condition on the element: hourly jobs are for the first host alone.
task "copy" "job" {
  for_each = local.jobs
  host     = each.value.host
  when     = each.value.when != "hourly" || each.value.host == groups.web[0]
  dest     = "${task.directory.app["${each.value.host}/${each.value.app}"].path}/${each.value.job}.job"
  content  = "${each.value.when}\n"
  mode     = "0644"
}

# Blocks of an argument from a list: "dynamic" writes a block for each element.
task "assert" "ports" {
  dynamic "condition" {
    for_each = var.apps
    content {
      holds   = condition.value.port > 1023
      message = "The port of ${condition.key} is below 1024."
    }
  }
}

# A loop over what instances have returned.
output "files" {
  value = sort([for key, file in task.copy.app : "${key}: ${file.path}"])
}
