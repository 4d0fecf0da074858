# Joins the node. What an attempt before has left is taken away first: kubeadm refuses a
# node that is half joined.
if ([IO.File]::Exists('C:\etc\kubernetes\bootstrap-kubelet.conf') -or [IO.File]::Exists('C:\var\lib\kubelet\config.yaml')) {
    & C:\k\kubeadm.exe reset --force --cri-socket npipe:////./pipe/containerd-containerd
}
& C:\k\kubeadm.exe join --config C:\k\join.yaml
if ($LASTEXITCODE -ne 0) {
    throw "kubeadm join ended with code $LASTEXITCODE"
}
