
# Kubernetes: no pod is started any more, then those there are end, and what of their
# images Windows alone can take apart goes with them.
Invoke-Part 'containers' {
    Stop-Named 'kubelet'
    Stop-Named 'kube-proxy'
    $runtime = Find-Existing { Get-Service -Name 'containerd' }
    if ($runtime -and $runtime.Status.ToString() -eq 'Running' -and [IO.File]::Exists('C:\k\crictl.exe')) {
        $socket = 'npipe:////./pipe/containerd-containerd'
        foreach ($words in @('rmp', '--all', '--force'), @('rmi', '--all')) {
            & C:\k\crictl.exe --runtime-endpoint $socket --image-endpoint $socket --timeout 2m @words
            if ($LASTEXITCODE -ne 0) {
                throw "crictl.exe $($words[0]) ended with code $LASTEXITCODE"
            }
        }
    }
}
