# Whether hosts are fit to be hypervisors. Used by "kinit doctor"; nothing is changed.
spec "doctor" {
  playbook = "doctor"
}
