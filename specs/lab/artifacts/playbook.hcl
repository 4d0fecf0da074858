variable "lab_cache" {
  type        = string
  description = "The folder that keeps the artifacts."
}

variable "lab_windows" {
  type        = string
  default     = ""
  description = "The simulator of Windows nodes, a static program. Without it there is no simulated Windows."
}

locals {
  scripts = "${var.lab_cache}/scripts"
  sources = fileset("../files")

  # Each artifact is kept in a folder named by the checksum of all its inputs, so
  # that a changed script builds anew and an old artifact is never taken for new.
  inputs = sha256(join("\n", [for name in local.sources : "${name} ${filesha256("../files/${name}")}"]))
}

stage "artifacts" {}

task "directory" "scripts" {
  stage = "artifacts"
  for_each = toset(concat([local.scripts], distinct([for name in local.sources : dirname("${local.scripts}/${name}")])))
  path = each.key
  mode = "0755"
}

task "copy" "script" {
  stage      = "artifacts"
  for_each   = toset(local.sources)
  dest       = "${local.scripts}/${each.key}"
  content    = file("../files/${each.key}")
  mode       = endswith(each.key, ".sh") ? "0755" : "0644"
  depends_on = [task.directory.scripts]
}

# One builder after the other: each uses all processors by itself. A stamp named by
# the inputs says that the script has run with them; the script itself knows which
# of its artifacts are still good.
locals {
  stamp = "${var.lab_cache}/.built-${substr(local.inputs, 0, 16)}"
  build = ["sh", "-ec", "sh \"$1\" \"$2\" && touch \"$3\"", "build"]
}

# The hypervisors' image: a root file system with systemd, libvirt, OVN and podman.
task "command" "hypervisor" {
  stage      = "artifacts"
  argv       = concat(local.build, ["${local.scripts}/build-hypervisor.sh", var.lab_cache, "${local.stamp}-hypervisor"])
  creates    = "${local.stamp}-hypervisor"
  timeout    = "60m"
  depends_on = [task.copy.script]
}

# The image of the services pod.
task "command" "services" {
  stage      = "artifacts"
  argv       = concat(local.build, ["${local.scripts}/build-services.sh", var.lab_cache, "${local.stamp}-services"])
  creates    = "${local.stamp}-services"
  timeout    = "60m"
  depends_on = [task.command.hypervisor]
}

# Kubernetes, etcd, CoreDNS and flannel from their Go modules.
task "command" "kubernetes" {
  stage      = "artifacts"
  argv       = concat(local.build, ["${local.scripts}/build-kubernetes.sh", var.lab_cache, "${local.stamp}-kubernetes"])
  creates    = "${local.stamp}-kubernetes"
  timeout    = "60m"
  depends_on = [task.command.services]
}

# Container images of what was built.
task "command" "images" {
  stage      = "artifacts"
  argv       = concat(local.build, ["${local.scripts}/build-images.sh", var.lab_cache, "${local.stamp}-images"])
  creates    = "${local.stamp}-images"
  timeout    = "60m"
  depends_on = [task.command.kubernetes]
}

# The guests' disk image, with the container images in it.
task "command" "guest" {
  stage      = "artifacts"
  argv       = concat(local.build, ["${local.scripts}/build-guest.sh", var.lab_cache, "${local.stamp}-guest"])
  creates    = "${local.stamp}-guest"
  timeout    = "60m"
  depends_on = [task.command.images]
}

# The media of the simulated Windows.
locals {
  simulator = var.lab_windows == "" ? "" : filesha256(var.lab_windows)
}

task "command" "winsim" {
  stage       = "artifacts"
  when        = var.lab_windows != ""
  environment = { WINSIM = var.lab_windows }
  argv        = concat(local.build, ["${local.scripts}/build-winsim.sh", var.lab_cache, "${local.stamp}-winsim-${substr(local.simulator, 0, 16)}"])
  creates     = "${local.stamp}-winsim-${substr(local.simulator, 0, 16)}"
  timeout     = "60m"
  depends_on  = [task.command.guest]
}
