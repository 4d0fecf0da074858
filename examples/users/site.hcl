# The same users on many hosts: groups and keys; leavers are removed.

variable "users" {
  type = map(object({
    comment = string
    groups  = list(string)
    on      = string
  }))
  default = {
    deploy  = { comment = "rolls out releases", groups = ["operators"], on = "web" }
    archive = { comment = "fetches copies of the data", groups = [], on = "db" }
    monitor = { comment = "reads logs", groups = ["operators", "systemd-journal"], on = "all" }
  }
  description = "Who may log in, and on which group of hosts."
}

variable "left" {
  type        = set(string)
  default     = ["intern"]
  description = "Users who must be on no host any more."
}

variable "keys" {
  type        = string
  default     = "keys"
  description = "The folder with the public key of each user, NAME.pub."
}

locals {
  # A user on a host is one thing to bring about: web1/deploy, web2/deploy, …
  accounts = merge([for name, user in var.users : {
    for host in groups[user.on] : "${host}/${name}" => merge(user, { name = name, host = host })
  }]...)

  leavers = { for pair in setproduct(run.hosts, var.left) : join("/", pair) => { host = pair[0], name = pair[1] } }
}

task "group" "operators" {
  hosts = run.hosts
  name  = "operators"
}

task "user" "account" {
  for_each   = local.accounts
  host       = each.value.host
  name       = each.value.name
  comment    = each.value.comment
  groups     = each.value.groups
  append     = false # and in no other group
  shell      = "/bin/bash"
  depends_on = [task.group.operators]
}

# Exclusive: a key that somebody has added by hand goes.
task "authorized_key" "account" {
  for_each  = local.accounts
  host      = each.value.host
  user      = task.user.account[each.key].name
  key       = file("${var.keys}/${each.value.name}.pub")
  options   = ["no-agent-forwarding", "no-port-forwarding"]
  exclusive = true
}

task "user" "left" {
  for_each    = local.leavers
  host        = each.value.host
  name        = each.value.name
  state       = "absent"
  remove_home = true
}

output "accounts" {
  value = { for host in run.hosts : host => sort([for a in local.accounts : a.name if a.host == host]) }
}
