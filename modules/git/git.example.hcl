# The pages of a site from their repository, and a tool at a fixed commit.
stage "site" {}

task "git" "pages" {
  stage      = "site"
  hosts      = run.hosts
  repository = "https://example.org/site/pages.git"
  dest       = "/srv/pages"
  ref        = "live"
  depth      = 1
  submodules = true
}

task "git" "tool" {
  stage      = "site"
  hosts      = run.hosts
  repository = "git@example.org:site/tool.git"
  dest       = "/opt/tool"
  ref        = "8fa14cdd754f91cc6554c9e71929cce7d6d0e3a1"

  identity_file = "/root/.ssh/deploy"
}

output "pages" {
  value = { for name, made in task.git.pages : name => made.commit }
}
