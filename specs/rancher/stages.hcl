# rancher: the parts that k3s and rke2 share: one program that runs as a server or as an agent, with
# a file of settings; an archive with images; servers that join each other's etcd. The project never
# ran them. A distribution is a folder that imports this one, and has in its locals what this folder and kubernetes
# need of it.
#
# Offers:
#   local.rancher_data        the folder of the program's data
#   local.rancher_program     the program on nodes
#   task.directory.authority  the folder of the authority on the first server
#
# Needs:
#   local.rancher          its name, which its program and its folders have
#   local.rancher_archive  whether the program is in an archive, as bin/NAME
#   local.rancher_first    further settings of the first server
#   local.rancher_join     the address where others join
#   local.rancher_kubectl  where servers have kubectl
#   local.rancher_nodes    further settings of nodes, by their names
#   local.rancher_pins     names of the pins of its program and of its images
#   local.rancher_server   further settings of all servers
#   local.rancher_site     value of the variable that names another site for them
#   local.rancher_units    units of servers and of agents
#   local.rancher_url      name of that variable
#   local.release_version  the version that is deployed by default, as its images are tagged

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
