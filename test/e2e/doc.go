// Package e2e deploys real clusters on a lab of its own: real libvirt, OVN, sshd,
// podman and kubeadm, with the program as a user starts it.
//
// It is not for details, which have tests where they are; it is for the promises
// of the README: deploys, converges, survives being killed, leaves nothing behind.
package e2e
