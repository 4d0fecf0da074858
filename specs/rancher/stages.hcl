# rancher: the parts that k3s and rke2 share: one program that runs as a server or as an agent, with
# a file of settings; an archive with images; servers that join each other's etcd. The project never
# ran them. A distribution is a folder that imports this one, and sets these locals, beside
# release_version, release_pattern, release_tested and release_networks:
#
#   rancher          its name, which its program and its folders have
#   rancher_pins     the names of the pins of its program and of its images
#   rancher_archive  whether the program is in an archive, as bin/NAME
#   rancher_site     the value of the variable that names another site for them
#   rancher_url      the name of that variable
#   rancher_units    the units of servers and of agents
#   rancher_join     the address where others join
#   rancher_server   further settings of all servers
#   rancher_first    further settings of the first one
#   rancher_nodes    further settings of nodes, by their names
#   rancher_kubectl  where servers have kubectl

import {
  source = "kubernetes"
}

# Servers join one after the other: etcd takes in one member at a time.
stage "servers" {
  after  = ["cluster"]
  serial = 1
}

stage "computes" {
  after = ["servers"]
}
