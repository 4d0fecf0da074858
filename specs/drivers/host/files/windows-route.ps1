# The way to the overlay, kept over restarts. Windows finds the adapter by the gateway.
& route.exe -p add $Arguments.network mask $Arguments.mask $Arguments.gateway
if ($LASTEXITCODE -ne 0) {
    throw "route.exe ended with code $LASTEXITCODE"
}
