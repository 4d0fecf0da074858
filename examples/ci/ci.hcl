# What the project tries on itself: clusters on the lab, deployed, run again, verified and
# removed. 'make ci' runs these jobs on two hypervisors that are containers.
#
#   kinit lab up --hosts nyctea,tyto
#   kinit ci run examples/ci/ci.hcl

title = "kinit on its lab"
site  = "../../public"

keep {
  runs = 400
  days = 400
}

job "bare-libvirt-1-1-1" {
  spec      = "bare-libvirt-1-1-1"
  hosts     = ["nyctea", "tyto"]
  schedule  = "0 1 * * 0"
  time_zone = "UTC"
  timeout   = "1h"
  retries   = 1
}

job "k8s-podman-3-2-2" {
  spec      = "k8s-podman-3-2-2"
  hosts     = ["nyctea", "tyto"]
  schedule  = "30 1 * * 0"
  time_zone = "UTC"
  timeout   = "1h"
  retries   = 1
  ready     = "task.wait.ready"
}

job "k8s-libvirt-1-1-1" {
  spec      = "k8s-libvirt-1-1-1"
  hosts     = ["nyctea", "tyto"]
  schedule  = "0 2 * * 0"
  time_zone = "UTC"
  timeout   = "2h"
  retries   = 1
  ready     = "task.wait.ready" # every node is Ready
}
