# Values for --var-file: what the cluster has beside Kubernetes itself.
addons = ["metrics-server", "ingress", "local-path"]
