# Writes the address of Calico_ep, the endpoint that Calico reserves on a node for kube-proxy.
$address = ''
foreach ($endpoint in @(Get-HnsEndpoint)) {
    if ($endpoint.Name -eq 'Calico_ep') {
        $address = "$($endpoint.IPAddress)"
    }
}
if ($address -eq '') {
    throw 'Calico has not made the endpoint Calico_ep on this node yet. Its pods in the namespace calico-system say why'
}
$address
