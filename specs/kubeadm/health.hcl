# health: etcd and the certificates that kubeadm and kubelets have made.

task "command" "etcd_health" {
  hosts     = run.inspect ? [for n in local.controllers : n.name] : []
  argv      = ["timeout", local.answer_seconds, "bash", "-c", file("files/etcd-health.sh")]
  ok_codes  = [0, 124]
  read_only = true
}

task "x509_facts" "node" {
  hosts = run.inspect ? local.all_nodes : []
  paths = [
    "/etc/kubernetes/pki/*.crt", "/etc/kubernetes/pki/etcd/*.crt", "/etc/kubernetes/*.conf",
    "/var/lib/kubelet/pki/kubelet.crt", "/var/lib/kubelet/pki/kubelet-client-current.pem",
  ]
}

output "health_etcd" {
  description = "What the members of etcd say of themselves."
  value = !run.inspect ? null : {
    for host, look in task.command.etcd_health :
    host => { for line in compact(split("\n", look.stdout)) : split(" ", line)[0] => split(" ", line)[1] }
    if look.stdout != null
  }
}

output "health_node_certificates" {
  description = "The certificates of Kubernetes on nodes."
  value = !run.inspect ? null : {
    for host, look in task.x509_facts.node :
    host => look.certificates if look.certificates != null
  }
}
