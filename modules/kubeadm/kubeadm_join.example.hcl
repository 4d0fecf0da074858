# All hosts are workers of a cluster whose authority kinit has made. Each joins with a
# certificate of its own, which is gone when it has joined.
stage "authority" {}

stage "cluster" {
  after = ["authority"]
}

task "x509_ca" "kubernetes" {
  stage = "authority"
  key   = "/srv/authority/kubernetes.key"
  cert  = "/srv/authority/kubernetes.crt"
  cn    = "kubernetes"
}

task "kubeadm_config" "join" {
  stage          = "cluster"
  hosts          = run.hosts
  path           = "/etc/kubernetes/join.yaml"
  kind           = "join"
  discovery_file = "/etc/kubernetes/login.conf"
}

task "kubeadm_join" "worker" {
  stage   = "cluster"
  hosts   = run.hosts
  config  = task.kubeadm_config.join[host.name].path
  timeout = "15m"

  login {
    file    = "/etc/kubernetes/login.conf"
    server  = "https://api.example.org:6443"
    ca_cert = task.x509_ca.kubernetes.cert_pem
    ca_key  = task.x509_ca.kubernetes.key_pem
  }
}
