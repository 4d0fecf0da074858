# Three tiers: HAProxy in a container, a program on the web servers, etcd as database.
# Every host is known by its group, so one more web server is one more name in the
# inventory.

variable "release" {
  type        = string
  default     = "1.0"
  description = "The release of the program, as its pages show it."
}

variable "greeting" {
  type        = string
  default     = "hello from the database"
  description = "What the pages say; it is kept in the database."
}

variable "etcd" {
  type        = string
  default     = "/usr/bin/etcd"
  description = "The program etcd on the host of the database."
}

# A lab says in its inventory which image it has.
variable "service_images" {
  type = map(object({ name = string, archive = string }))
  default = {
    haproxy = { name = "docker.io/library/haproxy:2.8", archive = "" }
  }
  description = "The image of the balancer, pulled unless there is an archive of it."
}

locals {
  balancer = groups.lb[0]
  database = "http://${hosts[groups.db[0]].address}:2379"
  image    = var.service_images.haproxy
  web      = { for name in groups.web : name => "http://${hosts[name].address}:8080" }
}

stage "database" {}

# The web servers take turns: the second begins when visitors can use the first.
stage "web" {
  after  = ["database"]
  serial = 1
}

stage "balancer" {
  after = ["web"]
}

stage "look" {
  after = ["balancer"]
}

# --- database ---

task "systemd_unit" "database" {
  stage    = "database"
  hosts    = groups.db
  name     = "site-database"
  enabled  = true
  state    = "started"
  template = file("files/database.service")
  vars     = { etcd = var.etcd, address = host.address }
}

task "wait" "database" {
  stage      = "database"
  hosts      = groups.db
  url        = "http://127.0.0.1:2379/health"
  expect     = "\"health\": *\"true\""
  within     = "1m"
  evidence   = [["journalctl", "--unit=site-database", "--lines=20", "--no-pager"]]
  depends_on = [task.systemd_unit.database]
}

# Look first, and write only what is not there: so a second run has nothing to do.
task "http_request" "stored" {
  stage      = "database"
  host       = groups.db[0]
  url        = "${local.database}/v3/kv/range"
  method     = "POST"
  json       = { key = base64encode("greeting") }
  read_only  = true
  depends_on = [task.wait.database]
}

task "http_request" "greeting" {
  stage  = "database"
  host   = groups.db[0]
  when   = !strcontains(task.http_request.stored.body, "\"${base64encode(var.greeting)}\"")
  url    = "${local.database}/v3/kv/put"
  method = "POST"
  json   = { key = base64encode("greeting"), value = base64encode(var.greeting) }
}

# --- web servers ---

task "directory" "program" {
  stage = "web"
  hosts = groups.web
  path  = "/opt/site"
}

task "copy" "program" {
  stage      = "web"
  hosts      = groups.web
  source     = "files/site.py"
  dest       = "/opt/site/site.py"
  mode       = "0644"
  depends_on = [task.directory.program]
}

task "systemd_unit" "program" {
  stage    = "web"
  hosts    = groups.web
  name     = "site"
  enabled  = true
  state    = "started"
  template = file("files/site.service")
  vars     = { name = host.name, release = var.release, database = local.database }

  # A new program is a reason to restart, as a new text of the unit is.
  restart_on = [task.copy.program[host.name].sha256]
}

task "wait" "program" {
  stage      = "web"
  hosts      = groups.web
  url        = "http://127.0.0.1:8080/"
  expect     = "release ${var.release} "
  within     = "30s"
  evidence   = [["journalctl", "--unit=site", "--lines=20", "--no-pager"]]
  depends_on = [task.systemd_unit.program]
}

# --- balancer ---

task "directory" "balancer" {
  stage = "balancer"
  hosts = groups.lb
  path  = "/etc/site-balancer"
  mode  = "0755"
}

task "template" "balancer" {
  stage      = "balancer"
  hosts      = groups.lb
  dest       = "/etc/site-balancer/haproxy.cfg"
  template   = file("files/haproxy.cfg")
  vars       = { servers = { for name in groups.web : name => hosts[name].address } }
  mode       = "0644"
  depends_on = [task.directory.balancer]
  notify     = [handler.command.reload]
}

task "podman_image" "balancer" {
  stage  = "balancer"
  hosts  = groups.lb
  name   = local.image.name
  source = local.image.archive == "" ? null : local.image.archive
}

task "podman_container" "balancer" {
  stage      = "balancer"
  hosts      = groups.lb
  name       = "site-balancer"
  image      = task.podman_image.balancer[host.name].name
  command    = ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
  networks   = ["host"]
  user       = "0"
  restart    = "always"
  volumes    = ["/etc/site-balancer:/usr/local/etc/haproxy:ro"]
  depends_on = [task.template.balancer]
}

# Reads the configuration again and drops no visitor.
handler "command" "reload" {
  argv = ["podman", "kill", "--signal=USR2", "site-balancer"]
}

# --- does it work? ---

task "http_request" "server" {
  stage    = "look"
  for_each = local.web
  url      = "${each.value}/"
}

task "http_request" "visitor" {
  stage = "look"
  url   = "http://${hosts[local.balancer].address}/"
  retry {
    attempts = 20
    delay    = "500ms"
  }
}

check "pages" {
  assert {
    condition = alltrue([
      for name, page in task.http_request.server :
      page.body == "release ${var.release} on ${name}: ${var.greeting}\n"
    ])
    error_message = "A web server shows something else than the release and the greeting."
  }
  assert {
    condition     = endswith(task.http_request.visitor.body, ": ${var.greeting}\n")
    error_message = "The balancer does not show the site."
  }
}

output "pages" {
  value = { for name, page in task.http_request.server : name => trimspace(page.body) }
}
