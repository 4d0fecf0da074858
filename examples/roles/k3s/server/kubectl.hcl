# kubectl: for a user of each server, and on the machine that kinit runs on.

block "kubectl" {
  stage      = "servers"
  hosts      = local.servers
  when       = var.user_kubectl
  depends_on = [task.wait.api, task.command.all_joined]

  task "directory" "kube" {
    path  = "~${var.user}/.kube"
    owner = var.user
    mode  = "0750"
  }

  task "copy" "kube" {
    host_source = "/etc/rancher/k3s/k3s.yaml"
    dest        = "${task.directory.kube[host.name].path}/config"
    owner       = var.user
    mode        = "0600"
  }

  task "line_in_file" "kubeconfig" {
    when       = task.stat.bashrc[host.name].exists
    path       = task.stat.bashrc[host.name].path
    match      = "export KUBECONFIG=~/.kube/config"
    line       = "export KUBECONFIG=~/.kube/config # Added by k3s-ansible"
    depends_on = [task.line_in_file.k3s_completion]
  }

  task "line_in_file" "kubectl_completion" {
    when       = task.stat.bashrc[host.name].exists
    path       = task.stat.bashrc[host.name].path
    match      = "\\.\\s+<\\(kubectl completion bash\\)"
    line       = ". <(kubectl completion bash)  # Added by k3s-ansible"
    depends_on = [task.line_in_file.kubeconfig]
  }
}

task "command" "kubectl" {
  stage       = "servers"
  argv        = ["sh", "-c", "command -v kubectl"]
  read_only   = true
  failed_when = false
}

task "read_file" "kubeconfig" {
  stage      = "servers"
  hosts      = local.servers
  run_once   = true
  path       = "/etc/rancher/k3s/k3s.yaml"
  sensitive  = true
  depends_on = [task.wait.api]
}

locals {
  kubeconfig = pathexpand(var.kubeconfig)
  default    = var.kubeconfig == "~/.kube/config.new"
  named_so = (
    local.default
    ? replace(task.read_file.kubeconfig.content, "/\\bdefault\\b/", var.cluster_context)
    : task.read_file.kubeconfig.content
  )
}

task "directory" "controller_kube" {
  stage = "servers"
  path  = dirname(local.kubeconfig)
  mode  = "0700"
}

task "copy" "controller_kube" {
  stage      = "servers"
  when       = task.command.kubectl.code == 0
  dest       = local.kubeconfig
  content    = replace(local.named_so, "https://127.0.0.1:6443", local.url)
  mode       = "0600"
  depends_on = [task.directory.controller_kube]
}

# Adds the cluster to the kubeconfig that exists; kubectl itself merges the files.
task "shell" "merge" {
  stage       = "servers"
  when        = local.default && task.copy.controller_kube.changed
  environment = { KUBECONFIG = "${local.kubeconfig}:${pathexpand("~/.kube/config")}", CONTEXT = var.cluster_context }
  commands    = <<-EOT
    set -e
    merged=$(mktemp)
    kubectl config view --flatten >"$merged"
    mv "$merged" ~/.kube/config
    KUBECONFIG=~/.kube/config kubectl config set-context "$CONTEXT" --user="$CONTEXT" --cluster="$CONTEXT"
  EOT
}
