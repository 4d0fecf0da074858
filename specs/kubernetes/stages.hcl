# kubernetes: what distributions of Kubernetes with kubeadm have in common, on the nodes of the
# common stages. A distribution is a folder that imports this one, and says in locals:
#
#   release_version        the version that it deploys by default, as its images are tagged
#   release_pattern        the form of its versions, with the minor version of Kubernetes 1 as a group
#   release_reports        what "kubeadm version" prints of a version, as a pattern
#   release_tested         the minor versions of Kubernetes 1 that it was run with
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
  source = "common"
}

stage "cluster" {
  after = ["nodes", "services"]
}

stage "computes" {
  after = ["cluster"]
}

stage "verify" {
  after = ["computes"]
}
