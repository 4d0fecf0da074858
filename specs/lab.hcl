# Hypervisors as containers on this machine: everything a first try and the tests
# need. Run by "kinit lab up"; the artifacts come from the spec lab-artifacts.
spec "lab" {
  playbook = "lab"
  owner    = "lab-${var.lab_name}"
}
