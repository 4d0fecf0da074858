# What the lab is made of, in a cache folder: made of Debian packages, and of the programs of
# Kubernetes, which are downloaded or built from Go modules. Run by "kinit lab up" before the
# lab itself; an artifact is made again only when its inputs change.
spec "lab-artifacts" {
  playbook = "lab/artifacts"
}
