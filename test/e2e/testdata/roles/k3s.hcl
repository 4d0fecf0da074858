k3s_version        = "v1.31.12+k3s1"
extra_service_envs = ["STAND_IN=yes"]
server_config_yaml = "write-kubeconfig-mode: \"0600\"\n"
