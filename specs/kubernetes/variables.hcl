# What a user or an inventory may set for clusters of Kubernetes.

variable "kubernetes_version" {
  type    = string
  default = null
  description = fold(<<-EOT
    The version of Kubernetes on all nodes; the pinned one where it is not said. Programs of another one are checked
    against what its site publishes. With kubeadm its images are those that its kubeadm lists; they have no digests.
    EOT
  )
}

variable "pod_cidr" {
  type        = string
  default     = "10.244.0.0/16"
  description = "The network of the pods. It cannot change on a running cluster."
}

variable "pod_network" {
  type    = string
  default = "flannel-vxlan"
  description = fold(<<-EOT
    What carries packets between pods: flannel-vxlan, flannel-host-gw (all nodes on one network, no tunnel),
    ovn-routes (all nodes on the overlay, whose router knows the way to pods) or calico-vxlan. It cannot change on a
    running cluster.
    EOT
  )

  validation {
    condition     = contains(["flannel-vxlan", "flannel-host-gw", "ovn-routes", "calico-vxlan"], var.pod_network)
    error_message = "The pod network is flannel-vxlan, flannel-host-gw, ovn-routes or calico-vxlan."
  }
}

variable "service_cidr" {
  type        = string
  default     = "10.96.0.0/12"
  description = "The network of the services. It cannot change on a running cluster."
}

variable "container_images" {
  type    = map(string)
  default = null
  description = fold(<<-EOT
    Images that the cluster's registry holds, by the name nodes pull: where it gets each from, as skopeo names it.
    Without it the pinned ones of this version.
    EOT
  )
}

variable "sample_image" {
  type    = string
  default = null
  description = fold(<<-EOT
    The image of the sample workload, as nodes pull it; it has sh, httpd, wget and nslookup. The pinned busybox where
    it is not said.
    EOT
  )
}

variable "component_args" {
  type        = map(map(string))
  default     = {}
  description = "Further flags of the control plane's components: component → flag → value."
}

variable "cluster_timeout" {
  type        = string
  default     = "10m"
  description = "How long a machine of ordinary speed may take to become a node; a slower one has longer."
}
