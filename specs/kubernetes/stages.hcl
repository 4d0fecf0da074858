# kubernetes: the parts that all distributions of Kubernetes share, on the nodes of the common
# stages: names, networks, the cluster's authority, the images of its registry, settings of nodes,
# a place to work in, and verification. A folder that imports this one makes the controllers and the other
# nodes: kubeadm, or rancher for k3s and rke2. It has the stage computes and, with the distribution that imports it,
# the locals that this folder needs.
#
# Offers:
#   local.all_nodes               names of the nodes that run Linux
#   local.answer_seconds          how many seconds a read of the health may take
#   local.api                     the name of the API
#   local.api_url                 the URL of the API
#   local.first_node              the controller that the others join
#   local.has_windows             whether a node runs Windows
#   local.kubectl                 kubectl as an administrator, on controllers
#   local.kubelets                settings of the kubelet, by node
#   local.kubernetes_base         the version of Kubernetes itself
#   local.kubernetes_default      whether the version is the pinned one
#   local.kubernetes_minor        the minor version of Kubernetes 1
#   local.kubernetes_version      the version that is deployed
#   local.other_controllers       controllers without the first
#   local.ovn_routes              whether the overlay routes to pods
#   local.place                   the folder for kinit ssh SPEC services
#   local.place_kubectl           whether it has kubectl
#   local.pod_network             what carries packets between pods
#   local.push                    commands that push images into the registry, and that check them
#   local.push_advice             what to do if images cannot be fetched
#   local.tested_versions         the tested versions, for messages
#   local.windows_names           names of the nodes that run Windows
#   var.cluster_timeout           how long Kubernetes may take
#   var.component_args            further arguments of components
#   var.container_images          images in place of the pinned ones
#   var.drain_timeout             how long pods may take to leave a node
#   var.kubectl                   a kubectl in place of the fetched one
#   var.kubernetes_version        the version of Kubernetes that a user chose
#   var.pod_cidr                  the network of pods
#   var.service_cidr              the network of services
#   task.copy.registry_auth       who may pull and push
#   task.copy.registry_client_ca  the authority of the registry, for pushing
#   task.copy.registry_curl       how curl logs in to the registry
#   task.facts.node               facts of the nodes
#   task.kubectl_drain.leaving    drains nodes that leave
#   task.sysctl.node              kernel settings of nodes
#   task.x509_ca.kubernetes       the authority of Kubernetes
#
# Needs:
#   local.admin_conf        where controllers have an administrator's kubeconfig
#   local.kubectl_advice    what to do if kubectl cannot be had
#   local.kubectl_fetched   whether kubectl is fetched where no other one is named
#   local.kubectl_program   kubectl for people, in the words of the module download
#   local.kubelet_unit      unit whose journal says how a node fares
#   local.oldest_minor      oldest minor version of Kubernetes 1 that it can deploy
#   local.registry_images   what the registry gets: name, and where from as skopeo names it
#   local.release_networks  values of pod_network that it has
#   local.release_pattern   the form of versions, with Kubernetes' minor version as a group
#   local.release_tested    tested minor versions of Kubernetes 1; without any, runs ask first
#   local.release_version   the version that is deployed by default, as its images are tagged
#   local.windows_images    images that nodes with Windows pull from the registry, as they name them

import {
  source = "common"
}

import {
  source = "addons"
}

stage "upgrade" { after = ["nodes", "services"] } # nodes that exist get another version
stage "cluster" { after = ["upgrade"] }
stage "drain" { after = ["computes"] }
stage "leave" { after = ["drain"] }
stage "verify" { after = ["leave"] }
