# A release of an application, fetched by each host, in a folder of its own.
variable "release" {
  type    = string
  default = "1.4.2"
}

stage "install" {}

task "unarchive" "app" {
  stage  = "install"
  hosts  = run.hosts
  url    = "https://example.org/app/app-${var.release}.tar.gz"
  sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
  dest   = "/opt/app"
  strip  = 1
  keep   = ["conf/*.conf"]
  owner  = "root"
}

# One that a task before has put on the host.
task "unarchive" "fonts" {
  stage   = "install"
  hosts   = run.hosts
  archive = "/var/cache/fonts.zip"
  dest    = "/usr/local/share/fonts/app"
}
