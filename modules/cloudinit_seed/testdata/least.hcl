path     = "/var/lib/libvirt/images/node.iso"
hostname = "node"
