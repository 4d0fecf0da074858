# A service from a template. A release that does not become healthy is taken back on
# the host where that is seen, before the next host gets it.

variable "release" {
  type        = string
  default     = "1.0"
  description = "A folder of releases/. The release 1.2 is broken: somebody forgot its health page."
  validation {
    condition     = fileexists("releases/${var.release}/index.html")
    error_message = "There is no such folder in releases/."
  }
}

variable "patience" {
  type        = string
  default     = "10s"
  description = "How long a release may take until it is healthy."
}

locals {
  folder = "/opt/hello"
  port   = 8081
  unit   = file("hello.service")

  # Each file of the release on each host.
  files = merge([for host in groups.web : {
    for name in fileset("releases/${var.release}") : "${host}/${name}" => { host = host, name = name }
  }]...)
}

stage "deploy" {}

stage "look" {
  after = ["deploy"]
}

block "deploy" {
  stage  = "deploy"
  hosts  = groups.web
  serial = 1

  # The release that was healthy last; nothing when there was none yet.
  task "command" "good" {
    argv      = ["sh", "-c", "cat ${local.folder}/good || true"]
    read_only = true
  }

  task "directory" "release" {
    path       = "${local.folder}/${var.release}"
    mode       = "0755"
    depends_on = [task.command.good]
  }

  task "copy" "release" {
    for_each   = local.files
    host       = each.value.host
    source     = "releases/${var.release}/${each.value.name}"
    dest       = "${local.folder}/${var.release}/${each.value.name}"
    mode       = "0644"
    depends_on = [task.directory.release]
  }

  task "systemd_unit" "hello" {
    name       = "hello"
    enabled    = true
    state      = "started"
    template   = local.unit
    vars       = { release = var.release, folder = local.folder, port = local.port }
    depends_on = [task.copy.release]
  }

  task "wait" "healthy" {
    url        = "http://127.0.0.1:${local.port}/health"
    expect     = "^ok ${var.release}\n"
    within     = var.patience
    evidence   = [["systemctl", "status", "--no-pager", "hello"]]
    depends_on = [task.systemd_unit.hello]
  }

  task "copy" "good" {
    dest       = "${local.folder}/good"
    content    = "${var.release}\n"
    mode       = "0644"
    depends_on = [task.wait.healthy]
  }

  # The same unit from the same template, with the release that was good.
  task "systemd_unit" "back" {
    on_failure = true
    when       = try(trimspace(task.command.good[host.name].stdout), "") != ""
    name       = "hello"
    enabled    = true
    state      = "started"
    template   = local.unit
    vars       = { release = trimspace(task.command.good[host.name].stdout), folder = local.folder, port = local.port }
  }
}

task "http_request" "page" {
  stage      = "look"
  hosts      = groups.web
  url        = "http://127.0.0.1:${local.port}/"
  expect     = "release ${var.release}"
  depends_on = [block.deploy]
}

output "pages" {
  value = { for name, page in task.http_request.page : name => trimspace(page.body) }
}
