# Restarts the nodes one by one, servers first.

import {
  source = "../shared"
}

stage "servers" {
  serial = 1
}

stage "agents" {
  after  = ["servers"]
  serial = 1
}

task "reboot" "server" {
  stage         = "servers"
  hosts         = local.servers
  unconditional = true
  ready         = ["kubectl", "get", "nodes"]
}

task "reboot" "agent" {
  stage         = "agents"
  hosts         = local.agents
  unconditional = true
}
