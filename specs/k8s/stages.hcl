# k8s: vanilla Kubernetes with kubeadm on the guests of the common stages.

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
