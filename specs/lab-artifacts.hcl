# What the lab is made of, built from Debian packages and Go modules into a cache
# folder. Run by "kinit lab up" before the lab itself; what is there is not built
# again until its inputs change.
spec "lab-artifacts" {
  playbook = "lab/artifacts"
}
