# upload: a file is brought to a Windows node in both ways, one after the other.
import {
  source = "common"
}

variable "payload" {
  type        = string
  description = "The file, on the machine that kinit runs on."
}

locals {
  # Nothing runs on the nodes.
  node_packages     = []
  inside_networks   = []
  kernel_modules    = {}
  leave_script      = ""
  distribution_pins = []

  node = keys(local.windows_nodes)[0]
}

stage "upload" {
  after = ["nodes", "services"]
}

task "copy" "payload" {
  stage  = "upload"
  host   = local.services.hypervisor
  source = var.payload
  dest   = "${local.service_root}/www/payload"
  mode   = "0644"
}

# Through the connection, as standard input of one command.
task "win_copy" "stream" {
  stage  = "upload"
  host   = local.node
  source = var.payload
  dest   = "C:/Windows/Temp/streamed"
}

# Fetched by the node from the services pod.
task "win_download" "pull" {
  stage      = "upload"
  host       = local.node
  url        = "http://${local.services.ip}:8080/payload"
  sha256     = filesha256(var.payload)
  dest       = "C:/Windows/Temp/pulled"
  depends_on = [task.copy.payload, task.win_copy.stream]
}
