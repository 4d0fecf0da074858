package download

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/growth"
	"kinit/modules/internal/httpclient"
)

const (
	// stallSeconds is how long a transfer continues without receiving data.
	stallSeconds = "60"
	// connectSeconds is how long a server may take to accept a connection.
	connectSeconds = "30"
	// mostBreaks is how often a transfer continues after its connection broke.
	mostBreaks = 20
)

// transfer continues or begins the part, and shows how it grows. One whose connection breaks continues
// as long as each connection brings something.
func (t *Task) transfer(ctx context.Context, h module.Host, part string) error {
	fetch, err := t.program(ctx, h, t.URL, part)
	if err != nil {
		return err
	}
	stop := growth.Watch(ctx, h, part, "download "+t.Dest)
	defer stop()
	had := size(ctx, h, part)
	var last error
	for breaks := 0; ; breaks++ {
		_, err := fetch(ctx, h)
		if err == nil {
			return nil
		}
		if breaks > 0 && refused(err) {
			err = last // a server that continues nothing
		}
		last = err
		has := int64(0)
		if broken(err) && !unwritable(err) {
			has = size(ctx, h, part)
		}
		if has <= had || breaks == mostBreaks {
			return fmt.Errorf("download %s: %w", httpclient.Shown(h, t.URL), err)
		}
		had = has
	}
}

// size returns the size of a part in bytes, or 0 if the part cannot be read.
func size(ctx context.Context, h module.Host, part string) int64 {
	info, err := h.Files().Stat(ctx, part)
	if err != nil {
		return 0
	}
	return info.Size
}

// program is how the host fetches a URL.
type program func(ctx context.Context, h module.Host) (module.Output, error)

func command(argv []string, stdin string) program {
	return func(ctx context.Context, h module.Host) (module.Output, error) {
		c := module.Command{Argv: argv}
		if stdin != "" {
			c.Stdin = strings.NewReader(stdin)
		}
		return h.Run(ctx, c)
	}
}

// program returns the program that fetches a URL into a part. Without a part, it prints the content. A copy on the host starts
// over each time; it shares blocks if the file system can.
func (t *Task) program(ctx context.Context, h module.Host, from, part string) (program, error) {
	u, err := url.Parse(from)
	switch isFile := err == nil && u.Scheme == "file"; {
	case isFile && part == "":
		return command([]string{"cat", "--", u.Path}, ""), nil
	case isFile:
		return command([]string{"cp", "--reflink=auto", "--sparse=auto", "--", u.Path, part}, ""), nil
	}
	client, err := findClient(ctx, h)
	switch isCurl := path.Base(client) == "curl"; {
	case err != nil:
		return nil, err
	case isCurl && part == "":
		return t.curl(client, from, "--max-time", stallSeconds), nil
	case isCurl:
		return t.curl(client, from, "--speed-limit", "1", "--speed-time", stallSeconds, "--continue-at", "-", "--output", part), nil
	case part == "":
		return wget(client, from, "--quiet", "--output-document=-"), nil
	case len(t.Headers) > 0:
		return nil, errHeaders
	}
	return wget(client, from, "--no-verbose", "--continue", "--output-document="+part), nil
}

var curlEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\v", `\v`)

// errHeaders means that the host has wget alone, which takes headers on its command line.
var errHeaders = errors.New("headers needs curl, because every user of the host would see those of wget: install curl with a package task before")

// mostRedirects is how often a server may send to another URL.
const mostRedirects = 20

// redirected is the exit code of curl for more redirects than it may follow.
const redirected = 47

// curl fetches a URL with curl. curl would send the headers to every server of a redirect, so that
// those of their own server are followed here.
func (t *Task) curl(client, from string, args ...string) program {
	return func(ctx context.Context, h module.Host) (module.Output, error) {
		at := from
		for range mostRedirects + 1 {
			if len(t.Headers) == 0 || !sameServer(t.URL, at) {
				return curl(client, at, nil, args...)(ctx, h)
			}
			out, err := curl(client, at, t.Headers, append([]string{"--max-redirs", "0", "--write-out", "%{redirect_url}"}, args...)...)(ctx, h)
			if !module.Exited(err, redirected) {
				return out, err
			}
			at = strings.TrimSpace(out.Stdout)
			if checkURL("url", at, "http", "https") != nil { // it may have a secret, and is not shown
				return out, errors.New("the server redirects to what is no URL of http or https")
			}
		}
		return module.Output{}, fmt.Errorf("the server redirects more than %d times", mostRedirects)
	}
}

// curl is the command for curl, which reads the URL and the headers from its input: they
// can contain a password, and every user sees command lines.
func curl(client, from string, headers map[string]string, args ...string) program {
	config := `url = "` + curlEscapes.Replace(from) + "\"\n"
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		config += `header = "` + curlEscapes.Replace(name+": "+headers[name]) + "\"\n"
	}
	argv := append([]string{client, "--fail", "--silent", "--show-error", "--location", "--connect-timeout", connectSeconds, "--config", "-"}, args...)
	return command(argv, config)
}

func sameServer(a, b string) bool {
	first, errA := url.Parse(a)
	second, errB := url.Parse(b)
	return errA == nil && errB == nil && first.Scheme == second.Scheme && first.Host == second.Host
}

// wget returns the same for wget; a URL has no line end.
func wget(client, from string, args ...string) program {
	argv := append([]string{client, "--tries=1", "--timeout=" + stallSeconds, "--input-file=-"}, args...)
	return command(argv, from+"\n")
}

// findClient returns the path of curl, or else of wget.
func findClient(ctx context.Context, h module.Host) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", "command -v curl || command -v wget"}})
	if module.Exited(err) {
		return "", errors.New("neither curl nor wget is installed: install one with a package task before")
	}
	return strings.TrimSpace(out.Stdout), err
}

// refused reports whether a server refused to continue a download: curl ends
// with 22 for a refused request, with 33 and 36 for a refused range; wget
// with 8 for an error response.
func refused(err error) bool { return module.Exited(err, 22, 33, 36, 8) }

// broken reports whether a connection ended before all data had come, or nothing came for long: curl ends with 18,
// 28, 55, 56 or 92 then, and wget with 4.
func broken(err error) bool { return module.Exited(err, 18, 28, 55, 56, 92, 4) }

// unwritable reports whether the data could not be written, as on a full disk: curl
// then ends with 23, wget with 3, and cp prints it.
func unwritable(err error) bool {
	exit, ok := errors.AsType[*module.ExitError](err)
	return ok && (exit.Code == 23 || exit.Code == 3 || strings.Contains(exit.Stderr, "No space left on device"))
}

// published reads the file's checksum from the URL that publishes it.
func (t *Task) published(ctx context.Context, h module.Host, algorithm, at string) (string, error) {
	show, err := t.program(ctx, h, at, "")
	if err != nil {
		return "", err
	}
	out, err := show(ctx, h)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return "", err
	}
	return findSum(out.Stdout, path.Base(u.Path), algorithm)
}

// tagged is a line with the algorithm's name, as "sha256sum --tag" prints it:
// SHA256 (file) = 4e38…
var tagged = regexp.MustCompile(`^(SHA\d+) \((.*)\) = (\S+)$`)

// findSum finds a file's checksum in a list: the only word of a list with
// one word, or the first word of the line that ends with the file's name, or its tagged line.
func findSum(list, name, algorithm string) (string, error) {
	digits := map[string]int{"sha256": 64, "sha512": 128}[algorithm]
	if words := strings.Fields(list); len(words) == 1 && isHex(words[0], digits) {
		return strings.ToLower(words[0]), nil
	}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if bsd := tagged.FindStringSubmatch(strings.TrimSpace(line)); bsd != nil && strings.EqualFold(bsd[1], algorithm) {
			words = []string{bsd[3], bsd[2]}
		}
		if len(words) == 2 && isHex(words[0], digits) && path.Base(strings.TrimPrefix(words[1], "*")) == name {
			return strings.ToLower(words[0]), nil
		}
	}
	return "", fmt.Errorf("there is no %s for %s in it", algorithm, name)
}
