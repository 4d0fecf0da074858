# What a user or an inventory may set for clusters that kubeadm makes.

variable "kubernetes_preinstalled" {
  type        = bool
  default     = false
  description = "The guest image holds containerd and the Kubernetes binaries already; only their version is checked."
}

variable "flannel_images" {
  type        = object({ flannel = string, plugin = string })
  default     = null
  description = "The images of flannel, as nodes pull them; the pinned ones where they are not said."
}

variable "pause_image" {
  type        = string
  default     = null
  description = "The pause image that fits the version of Kubernetes; the pinned one where it is not said."
}

variable "readiness_period" {
  type    = number
  default = null
  description = fold(<<-EOT
    Every how many seconds it is asked whether a component of the control plane is ready. Default: kubeadm's 1, which
    keeps a slow machine busy; 15 where processors are emulated.
    EOT
  )

  validation {
    condition = (
      var.readiness_period == null
      ? true
      : var.readiness_period >= 1 && floor(var.readiness_period) == var.readiness_period
    )
    error_message = "The period is a whole number of seconds from 1 on."
  }
}

variable "liveness_failures" {
  type    = number
  default = null
  description = fold(<<-EOT
    How many probes in a row a component of the control plane may miss before it is restarted; there is one every 10
    s. Default: kubeadm's 8; 60 where processors are emulated, as a start costs them more than waiting.
    EOT
  )

  validation {
    condition = (
      var.liveness_failures == null
      ? true
      : var.liveness_failures >= 1 && floor(var.liveness_failures) == var.liveness_failures
    )
    error_message = "The number of failures is a whole number from 1 on."
  }
}

variable "component_env" {
  type    = map(map(string))
  default = {}
  description = fold(<<-EOT
    Environment of the control plane's components: apiserver, controller_manager, scheduler or etcd → variable →
    value.
    EOT
  )

  validation {
    condition = length(setsubtract(keys(var.component_env), [
      "apiserver", "controller_manager", "scheduler", "etcd",
    ])) == 0
    error_message = "The components are apiserver, controller_manager, scheduler and etcd."
  }
}

variable "ignore_preflight" {
  type    = list(string)
  default = []
  description = fold(<<-EOT
    Checks of kubeadm whose failure is only a warning, such as NumCPU for controllers with one virtual CPU.
    EOT
  )
}
