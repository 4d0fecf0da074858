# Reserves an address of the node's pod network for kube-proxy with the same program that
# gives pods theirs, so that no pod gets it too.
$subnet = ''
foreach ($line in [IO.File]::ReadAllLines('C:\run\flannel\subnet.env')) {
    if ($line.StartsWith('FLANNEL_SUBNET=')) {
        $subnet = $line.Substring(15)
    }
}
if ($subnet -eq '') {
    throw 'flannel has not written its subnet to C:\run\flannel\subnet.env'
}
$octets = $subnet.Split('/')[0].Split('.')
$network = '{0}.{1}.{2}.0/{3}' -f $octets[0], $octets[1], $octets[2], $subnet.Split('/')[1]
$config = @{
    cniVersion = '0.3.1'
    name = $Arguments.network
    type = 'host-local'
    ipam = @{ type = 'host-local'; ranges = @(, @(@{ subnet = $network })); dataDir = 'C:\var\lib\cni\networks' }
}
$env:CNI_COMMAND = 'ADD'
$env:CNI_CONTAINERID = 'kinit-source-vip'
$env:CNI_NETNS = 'none'
$env:CNI_IFNAME = 'source-vip'
$env:CNI_PATH = 'C:\opt\cni\bin'
$answer = $config | ConvertTo-Json -Compress -Depth 6 | & C:\opt\cni\bin\host-local.exe
if ($LASTEXITCODE -ne 0) {
    throw "host-local.exe ended with code ${LASTEXITCODE}: $answer"
}
$address = ($answer -join '' | ConvertFrom-Json).ips[0].address.Split('/')[0]
[IO.File]::WriteAllText($Arguments.file, $address)
