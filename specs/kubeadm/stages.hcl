# kubeadm: what distributions of Kubernetes with kubeadm have in common. A distribution is a folder
# that imports this one, and says in locals, beside release_version, release_pattern and
# release_tested:
#
#   release_reports        what "kubeadm version" prints of a version, as a pattern
#   release_folder         where the programs of a version are: FOLDER/bin/linux/amd64/kubeadm
#   release_url            the variable that names another site for them
#   release_elsewhere      whether that variable is set
#   release_programs       the names of the pins of kubeadm, kubelet, kubectl
#   release_windows        the same of the archive for Windows nodes: pin, folder
#   release_images         the names of the pins of its images
#   release_pause          the name of the pin of its pause image
#   release_aliases        further names of images, and the pin of each
#   release_lists          whether its kubeadm lists the images of other versions
#   release_configuration  what kubeadm's ClusterConfiguration says of its images
#   release_etcd           the same of etcd's

import {
  source = "kubernetes"
}

locals {
  release_networks = ["flannel-vxlan", "flannel-host-gw", "ovn-routes", "calico-vxlan"]
}

stage "computes" { after = ["cluster"] }
