# Refuse to go on without a value that has no good default.
variable "release" {
  type    = string
  default = "1.4.2"
}

stage "check" {}

task "fail" "release" {
  stage   = "check"
  hosts   = run.hosts
  when    = var.release == ""
  message = "no release is chosen: give one by --var release=VERSION"
}
