# A page on every host, and proof that it is served.
#
#   kinit plan examples/site/site.hcl --hosts localhost
#   kinit run examples/site/site.hcl --hosts localhost --var folder=/tmp/site

variable "folder" {
  type        = string
  default     = "/tmp/kinit-site"
  description = "Where the pages are kept."
}

variable "message" {
  type    = string
  default = "hello"
}

stage "content" {}

stage "check" {
  after = ["content"]
}

block "content" {
  stage = "content"
  hosts = run.hosts

  task "directory" "site" {
    path = var.folder
    mode = "0755"
  }

  task "copy" "index" {
    dest       = "${var.folder}/index.html"
    content    = "${var.message} from ${host.name}\n"
    mode       = "0644"
    depends_on = [task.directory.site]
  }
}

# A reference to another task's value is an edge of the graph.
task "command" "read" {
  stage     = "check"
  hosts     = run.hosts
  argv      = ["cat", task.copy.index[host.name].path]
  read_only = true
  expect    = var.message
}

output "pages" {
  value = { for name, read in task.command.read : name => trimspace(read.stdout) }
}
