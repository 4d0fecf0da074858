# Things of many kinds on two hypervisors, all of them made in seconds.
spec "little" {
  playbook = "./little"
}

cluster "little" {
  hypervisors = 2

  pool "controller" {
    count = 0
  }
}
