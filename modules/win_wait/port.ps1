# Tells whether a port accepts a connection within five seconds, at any address of the host. What keeps it from that
# is the reason.
$why = ''
try {
    $addresses = [Net.Dns]::GetHostAddresses($Arguments.address)
} catch {
    return @{ done = $false; why = $_.Exception.GetBaseException().Message }
}
foreach ($address in $addresses) {
    # Without the family a client of .NET Framework is for IPv4 alone.
    $client = [Net.Sockets.TcpClient]::new($address.AddressFamily)
    try {
        if ($client.ConnectAsync($address, $Arguments.port).Wait(5000)) {
            return @{ done = $true; why = '' }
        }
        $why = 'nothing answers within 5 s'
    } catch {
        $why = $_.Exception.GetBaseException().Message
    } finally {
        $client.Dispose()
    }
}
@{ done = $false; why = $why }
