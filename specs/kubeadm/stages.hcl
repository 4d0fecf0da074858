# kubeadm: what distributions of Kubernetes with kubeadm have in common. A distribution is a folder that imports this
# one, and has in its locals what this folder and kubernetes need of it.
#
# Needs:
#   local.release_aliases        further names of images, and the pin of each
#   local.release_configuration  what kubeadm's ClusterConfiguration says of its images
#   local.release_elsewhere      whether the variable release_url names is set
#   local.release_etcd           what kubeadm's ClusterConfiguration says of etcd's image
#   local.release_folder         where programs are: FOLDER/bin/linux/amd64/kubeadm
#   local.release_images         names of the pins of its images
#   local.release_lists          whether its kubeadm lists the images of other versions
#   local.release_pause          name of the pin of its pause image
#   local.release_programs       names of the pins of kubeadm, kubelet and kubectl
#   local.release_reports        what "kubeadm version" prints of a version, as a pattern
#   local.release_url            name of the variable for another site with its programs
#   local.release_version        the version that is deployed by default, as its images are tagged
#   local.release_windows        pin and folder of the archive for Windows nodes

import {
  source = "kubernetes"
}

locals {
  release_networks = ["flannel-vxlan", "flannel-host-gw", "ovn-routes", "calico-vxlan"]
}

stage "computes" { after = ["cluster"] }
