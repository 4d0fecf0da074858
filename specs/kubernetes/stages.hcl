# kubernetes: the parts that all distributions of Kubernetes share, on the nodes of the common
# stages: names, networks, the cluster's authority, the images of its registry, settings of nodes,
# a place to work in, and verification. A folder that imports this one makes the controllers and the other
# nodes: kubeadm, or rancher for k3s and rke2. It has the stage computes, and sets these locals:
#
#   release_version   the version that is deployed by default, as its images are tagged
#   release_pattern   the form of versions, with the minor version of Kubernetes 1 as a group
#   release_tested    the minor versions of Kubernetes 1 that were run; without any, runs ask first
#   release_networks  the values of pod_network that it has
#   oldest_minor      the oldest minor version of Kubernetes 1 that it can deploy
#   registry_images   what the cluster's registry gets: name, and where from as skopeo names it
#   admin_conf        where controllers have an administrator's kubeconfig
#   kubelet_unit      the unit whose journal says how a node fares
#   kubectl_program   kubectl for people, in the words of the module download
#   kubectl_fetched   whether that is fetched where no other one is named
#   kubectl_advice    what to do where it cannot be had

import {
  source = "common"
}

import {
  source = "addons"
}

stage "upgrade" { after = ["nodes", "services"] } # nodes that exist get another version
stage "cluster" { after = ["upgrade"] }
stage "drain" { after = ["computes"] }
stage "leave" { after = ["drain"] }
stage "verify" { after = ["leave"] }
