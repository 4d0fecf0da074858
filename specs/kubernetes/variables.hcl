variable "kubernetes_version" {
  type        = string
  default     = null
  description = "The version of Kubernetes on all nodes; the pinned one where it is not said. Programs of another one are checked against what its site publishes, and its images are those that its kubeadm lists; they have no digests."
}

variable "kubernetes_preinstalled" {
  type        = bool
  default     = false
  description = "The guest image holds containerd and the Kubernetes binaries already; only their version is checked."
}

variable "pod_cidr" {
  type        = string
  default     = "10.244.0.0/16"
  description = "The network of the pods."
}

variable "pod_network" {
  type        = string
  default     = "flannel-vxlan"
  description = "What carries packets between pods: flannel-vxlan, flannel-host-gw (all nodes on one network, no tunnel) or calico-vxlan."
  validation {
    condition     = contains(["flannel-vxlan", "flannel-host-gw", "calico-vxlan"], var.pod_network)
    error_message = "The pod network is flannel-vxlan, flannel-host-gw or calico-vxlan."
  }
}

variable "service_cidr" {
  type        = string
  default     = "10.96.0.0/12"
  description = "The network of the services."
}

variable "container_images" {
  type        = map(string)
  default     = null
  description = "Images that the cluster's registry holds, by the name nodes pull: where it gets each from, as skopeo names it. Without it the pinned ones of this version."
}

variable "flannel_images" {
  type        = object({ flannel = string, plugin = string })
  default     = null
  description = "The images of flannel, as nodes pull them; the pinned ones where they are not said."
}

variable "sample_image" {
  type        = string
  default     = null
  description = "The image of the sample workload, as nodes pull it; it has sh, httpd, wget and nslookup. The pinned busybox where it is not said."
}

variable "pause_image" {
  type        = string
  default     = null
  description = "The pause image that fits the version of Kubernetes; the pinned one where it is not said."
}

variable "component_args" {
  type        = map(map(string))
  default     = {}
  description = "Further flags of the control plane's components: component → flag → value."
}

variable "readiness_period" {
  type        = number
  default     = null
  description = "Every how many seconds it is asked whether a component of the control plane is ready. Default: kubeadm's 1, which keeps a slow machine busy; 15 where processors are emulated."
  validation {
    condition     = var.readiness_period == null ? true : var.readiness_period >= 1 && floor(var.readiness_period) == var.readiness_period
    error_message = "The period is a whole number of seconds from 1 on."
  }
}

variable "liveness_failures" {
  type        = number
  default     = null
  description = "How many probes in a row a component of the control plane may miss before it is started anew; one is made every 10 s. Default: kubeadm's 8; 60 where processors are emulated, as a start costs them more than waiting."
  validation {
    condition     = var.liveness_failures == null ? true : var.liveness_failures >= 1 && floor(var.liveness_failures) == var.liveness_failures
    error_message = "The number of failures is a whole number from 1 on."
  }
}

variable "component_env" {
  type        = map(map(string))
  default     = {}
  description = "Environment of the control plane's components: apiserver, controller_manager, scheduler or etcd → variable → value."
  validation {
    condition     = length(setsubtract(keys(var.component_env), ["apiserver", "controller_manager", "scheduler", "etcd"])) == 0
    error_message = "The components are apiserver, controller_manager, scheduler and etcd."
  }
}

variable "ignore_preflight" {
  type        = list(string)
  default     = []
  description = "Checks of kubeadm whose failure is only a warning, such as NumCPU for controllers with one virtual CPU."
}

variable "cluster_timeout" {
  type        = string
  default     = "10m"
  description = "How long kubeadm may take on one node of ordinary speed; on a slower one it has longer."
}
