# The hypervisor with the address 192.0.2.3 is gone for good: the databases of OVN forget it.
stage "network" {}

task "ovn_leave" "gone" {
  stage      = "network"
  host       = run.hosts[0]
  northbound = { "192.0.2.1" = "14f3c0de-7a06-4c5e-8e0c-3b1f2d9a5b10", "192.0.2.2" = "048a1b2c-52d1-4e7f-9d34-7c6b5a493827" }
  southbound = { "192.0.2.1" = "2cb83ae0-f12a-451d-bb8e-4e92085abe98", "192.0.2.2" = "9f5d6e7c-10ab-4c3d-b2e1-6a5948372615" }
}
