package program

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
)

// Exit codes of curl (its manual, EXIT CODES).
const (
	curlUsage       = 2
	curlURL         = 3
	curlNoHost      = 6
	curlNoConnect   = 7
	curlHTTPError   = 22
	curlWrite       = 23
	curlTimeout     = 28
	curlRange       = 33
	curlPartial     = 18
	curlCertificate = 60
	curlCACert      = 77
)

// download is what curl.exe is told.
type download struct {
	url, output, ca     string
	fail, follow, quiet bool
	plain               bool // the URL is no pattern
	resume              bool
	connect             time.Duration
}

// curlOptions reads the command line. Other options are not known.
func curlOptions(p *machine.Process) (download, bool) {
	d := download{connect: 30 * time.Second}
	for i := 0; i < len(p.Args); i++ {
		value := func() string {
			if i++; i < len(p.Args) {
				return p.Args[i]
			}
			return ""
		}
		switch word := p.Args[i]; word {
		case "--fail", "-f":
			d.fail = true
		case "--silent", "-s":
			d.quiet = true
		case "--show-error", "-S", "--ssl-no-revoke":
		case "--globoff", "-g":
			d.plain = true
		case "--location", "-L":
			d.follow = true
		case "--connect-timeout":
			seconds, err := strconv.Atoi(value())
			if err != nil {
				return d, false
			}
			d.connect = time.Duration(seconds) * time.Second
		case "--speed-limit", "--speed-time", "--retry", "--retry-delay", "--max-time":
			value()
		case "--continue-at", "-C":
			d.resume = value() == "-"
		case "--output", "-o":
			d.output = value()
		case "--cacert":
			d.ca = value()
		case "--url":
			d.url = value()
		default:
			if strings.HasPrefix(word, "-") || d.url != "" {
				return d, false
			}
			d.url = word
		}
	}
	return d, d.url != "" && d.output != ""
}

// curl is curl.exe: it really fetches a file.
func curl(ctx context.Context, p *machine.Process) uint32 {
	d, ok := curlOptions(p)
	if !ok {
		return unsupported(p)
	}
	if !d.plain && strings.ContainsAny(d.url, "[]{}") {
		return curlFailed(p, curlURL, errors.New("bad range in URL"))
	}
	path := ntfs.Join(p.Dir, d.output)
	offset := int64(0)
	if info, err := p.Machine.Files.Stat(path); err == nil && d.resume {
		offset = info.Size
	}
	client, code, err := d.client(p)
	if err != nil {
		return curlFailed(p, code, err)
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return curlFailed(p, curlUsage, err)
	}
	request.Header.Set("User-Agent", "curl/8.4.0")
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	response, err := client.Do(request)
	if err != nil {
		return curlFailed(p, curlCode(err), err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable && offset > 0:
		// All of it is there already.
		return 0
	case d.fail && response.StatusCode >= http.StatusBadRequest:
		return curlFailed(p, curlHTTPError, fmt.Errorf("the requested URL returned error: %d", response.StatusCode))
	case offset > 0 && response.StatusCode != http.StatusPartialContent:
		return curlFailed(p, curlRange, errors.New("the server doesn't seem to support byte ranges, cannot resume"))
	}
	return d.save(p, path, response, offset > 0)
}

// client is how the server is reached: by the machine's names and clock, and with the
// authorities that it knows, which are none but the one given.
func (d download) client(p *machine.Process) (*http.Client, uint32, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, Time: p.Machine.Now, RootCAs: x509.NewCertPool()}
	if d.ca != "" {
		text, err := p.Machine.Files.ReadFile(ntfs.Join(p.Dir, d.ca))
		if err != nil || !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, curlCACert, fmt.Errorf("error setting certificate verify locations:  CAfile: %s", d.ca)
		}
	}
	client := &http.Client{Transport: &http.Transport{DialContext: p.Machine.Dial, TLSClientConfig: config, TLSHandshakeTimeout: d.connect}}
	if !d.follow {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return client, 0, nil
}

// curlCode is the exit code of a failure to get an answer.
func curlCode(err error) uint32 {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &authority), errors.As(err, &invalid), errors.As(err, &name):
		return curlCertificate
	case errors.As(err, &dns):
		return curlNoHost
	case errors.As(err, &timeout) && timeout.Timeout():
		return curlTimeout
	default:
		return curlNoConnect
	}
}

func curlFailed(p *machine.Process, code uint32, err error) uint32 {
	fmt.Fprintf(p.Stderr, "curl: (%d) %v\r\n", code, err)
	return code
}

// save writes the answer to the file, behind what is there or from its beginning.
func (d download) save(p *machine.Process, path string, response *http.Response, behind bool) uint32 {
	mode := ntfs.Create
	if behind {
		mode = ntfs.Append
	}
	file, err := p.Machine.Files.Open(path, mode, ntfs.Writing, ntfs.ShareRead)
	if err != nil {
		return curlFailed(p, curlWrite, fmt.Errorf("failed to open the file %s: %w", d.output, err))
	}
	_, err = io.Copy(file, response.Body)
	closed := file.Close()
	switch {
	case errors.Is(err, winerr.DiskFull):
		return curlFailed(p, curlWrite, errors.New("failure writing output to destination"))
	case err != nil:
		return curlFailed(p, curlPartial, errors.New("transfer closed with outstanding read data remaining"))
	case closed != nil:
		return curlFailed(p, curlWrite, closed)
	}
	return 0
}
