# Tells whether a port accepts a connection within five seconds. What keeps it from
# that is the reason.
$client = [Net.Sockets.TcpClient]::new()
try {
    if ($client.ConnectAsync($Arguments.address, $Arguments.port).Wait(5000)) {
        @{ done = $true; why = '' }
    } else {
        @{ done = $false; why = 'nothing answers within 5 s' }
    }
} catch {
    @{ done = $false; why = $_.Exception.GetBaseException().Message }
} finally {
    $client.Dispose()
}
