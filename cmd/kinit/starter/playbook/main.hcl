# A playbook is all files of its folder. Tasks are done in the order that their
# stages and references ask for, at the same time where nothing orders them.
variable "message" {
  type        = string
  description = "What the page says."
}

variable "folder" {
  type        = string
  default     = "/tmp/kinit-site"
  description = "Where the page is."
}

stage "content" {}

stage "verify" {
  after = ["content"]
}

task "directory" "site" {
  stage = "content"
  hosts = run.hosts
  path  = var.folder
  mode  = "0755"
}

task "copy" "page" {
  stage      = "content"
  hosts      = run.hosts
  dest       = "${var.folder}/index.html"
  content    = "${var.message} from ${host.name}\n"
  depends_on = [task.directory.site]
}

# A reference to what another task returns is an order too.
task "command" "page" {
  stage     = "verify"
  hosts     = run.hosts
  argv      = ["cat", task.copy.page[host.name].path]
  read_only = true
}

check "pages" {
  assert {
    condition     = alltrue([for page in task.command.page : startswith(page.stdout, var.message)])
    error_message = "A page does not say ${var.message}."
  }
}

output "pages" {
  value = { for name, page in task.command.page : name => trimspace(page.stdout) }
}
