# A cluster whose nodes are folders: cheap, and with the stages and the order of a real one.
variable "size" {
  type    = string
  default = "small"
}

variable "cidr" {
  type    = string
  default = "10.0.0.0/24"
}

# What the cluster has beside its nodes.
variable "extras" {
  type    = list(string)
  default = []
}

stage "places" {}

stage "cleanup" {
  after = ["places"]
}

stage "nodes" {
  after = ["cleanup"]
}

stage "leave" {
  after = ["nodes"]
}

locals {
  remove_all = run.recreate || run.stop_after == "cleanup"
  hosts      = cluster.hypervisors[*].name
  folders    = { file = "/var/lib/kinit/nodes", tree = "/var/lib/kinit/trees" }
  shared     = ["/var/lib/kinit/nodes", "/var/lib/kinit/trees", "/var/lib/kinit", "/var/lib/kinit/clusters", "/var/lib/kinit/clusters/${cluster.name}"]
  paths      = { for name, n in cluster.nodes : name => "${local.folders[n.driver]}/${name}" }
  leaving    = { for name, l in cluster.leaving : name => l if !local.remove_all }
  kept       = { for h in local.hosts : h => concat(local.shared, [for name, n in cluster.nodes : local.paths[name] if n.hypervisor == h]) }
  left       = { for h in local.hosts : h => flatten([for name, l in local.leaving : [for f in values(local.folders) : "${f}/${name}"] if l.hypervisor == h]) }
  extras     = { for kind in ["line", "block", "cron", "link", "names", "unit", "user"] : kind => contains(var.extras, kind) ? local.hosts : [] }
}

driver "file" {
  summary = "nodes are folders"
  default = true
  nodes   = "id=$(sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p' owned/instance.json); for n in /var/lib/kinit/nodes/$1-*; do [ ! -e \"$n\" ] || echo \"$${n##*/} $1.$id\"; done"
}

driver "tree" {
  summary = "nodes are folders elsewhere"
  nodes   = "id=$(sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p' owned/instance.json); for n in /var/lib/kinit/trees/$1-*; do [ ! -e \"$n\" ] || echo \"$${n##*/} $1.$id\"; done"
}

task "directory" "root" {
  stage = "places"
  hosts = local.hosts
  path  = "/var/lib/kinit/clusters/${cluster.name}"
  mode  = "0700"
}

task "copy" "record" {
  stage      = "places"
  hosts      = local.hosts
  dest       = cluster.record.path
  content    = cluster.record.text
  mode       = "0600"
  depends_on = [task.directory.root]
}

task "sweep" "moved" {
  stage = "cleanup"
  when  = !local.remove_all
  hosts = local.hosts
  kinds = ["directory"]
  keep  = concat(local.kept[host.name], local.left[host.name])
}

task "sweep" "owned" {
  stage = "cleanup"
  when  = local.remove_all
  hosts = local.hosts
  all   = true
  purge = run.purge
}

task "directory" "folder" {
  stage    = "nodes"
  hosts    = local.hosts
  for_each = toset(values(local.folders))
  path     = each.key
}

task "directory" "node" {
  stage      = "nodes"
  for_each   = cluster.nodes
  host       = each.value.hypervisor
  path       = local.paths[each.key]
  depends_on = [task.directory.folder]
}

task "copy" "settings" {
  stage   = "nodes"
  hosts   = local.hosts
  dest    = "/srv/${cluster.name}-settings"
  content = "size ${var.size}, nodes ${join(" ", [for name, n in cluster.nodes : "${name}=${n.ip}"])}\n"
}

task "line_in_file" "extra" {
  stage  = "nodes"
  hosts  = local.extras["line"]
  path   = "/etc/shared.conf"
  line   = "line of ${cluster.name}"
  backup = true
}

task "block_in_file" "extra" {
  stage      = "nodes"
  hosts      = local.extras["block"]
  path       = "/etc/shared.conf"
  backup     = true
  marker     = "# {mark} of ${cluster.name}"
  block      = "block of ${cluster.name}, ${var.size}\n"
  depends_on = [task.line_in_file.extra]
}

task "cron" "extra" {
  stage    = "nodes"
  hosts    = local.extras["cron"]
  name     = "${cluster.name}-extra"
  schedule = "@daily"
  job      = "true ${var.size}"
}

task "link" "extra" {
  stage  = "nodes"
  hosts  = local.extras["link"]
  path   = "/srv/${cluster.name}-extra"
  target = "/srv/foreign/file"
}

task "hosts_entry" "extra" {
  stage   = "nodes"
  hosts   = local.extras["names"]
  address = "192.0.2.21"
  names   = ["${cluster.name}-services"]
}

task "systemd_unit" "extra" {
  stage   = "nodes"
  hosts   = local.extras["unit"]
  name    = "${cluster.name}-extra"
  enabled = true
  state   = "started"
  content = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
}

task "user" "extra" {
  stage  = "nodes"
  hosts  = local.extras["user"]
  name   = "${cluster.name}-extra"
  system = true
}

# Nodes that leave do so when all others are as they should be.
task "sweep" "left" {
  stage = "leave"
  when  = length(local.leaving) > 0
  hosts = local.hosts
  kinds = ["directory"]
  keep  = local.kept[host.name]
}

task "copy" "record_left" {
  stage      = "leave"
  when       = length(local.leaving) > 0
  hosts      = local.hosts
  dest       = cluster.record.path
  content    = cluster.record.left
  mode       = "0600"
  depends_on = [task.sweep.left]
}

output "leftovers" {
  value = 0
}
