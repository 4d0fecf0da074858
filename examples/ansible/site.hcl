# What an Ansible inventory knows of its hosts, used as it is: groups are groups.NAME,
# variables are host.vars.NAME.

task "facts" "host" {
  hosts = groups.site
}

task "directory" "site" {
  hosts = groups.site
  path  = "/etc/site"
  mode  = "0755"
}

# Variables of the groups all and site, which every host has.
task "copy" "about" {
  hosts      = groups.site
  dest       = "/etc/site/about"
  content    = <<-EOT
    name: ${host.name}.${host.vars.domain}
    groups: ${join(", ", sort(host.groups))}
    contact: ${host.vars.contact}
    name servers: ${join(" ", host.vars.name_servers)}
  EOT
  mode       = "0644"
  depends_on = [task.directory.site]
}

# Those of the web servers. Values have types: the port is a number, payment a bool, and
# host_vars/web2.yml counts more than group_vars/webservers.yml.
task "copy" "features" {
  hosts      = groups.webservers
  dest       = "/etc/site/features.json"
  content    = "${jsonencode({ port = host.vars.http_port, features = host.vars.features })}\n"
  mode       = "0644"
  depends_on = [task.directory.site]
}

# A variable that only some hosts have.
task "copy" "backup" {
  hosts      = [for name in groups.site : name if can(hosts[name].vars.backup_hour)]
  dest       = "/etc/site/backup"
  content    = "every day at ${host.vars.backup_hour}:00\n"
  mode       = "0644"
  depends_on = [task.directory.site]
}

output "systems" {
  value = { for name, facts in task.facts.host : name => "${facts.os_id} ${facts.os_version}" }
}
