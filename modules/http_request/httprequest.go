// Package httprequest is the module "http_request": a request that a host makes, with
// checks of its answer.
//
// The connection starts at the host, over the transport that reaches it; the host needs
// no program, and no password appears in its list of processes.
package httprequest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/httpclient"
)

// Task is a request to an HTTP server, with checks of its answer.
//
// GET, HEAD and OPTIONS change nothing: they run while planning, also in a dry run.
// Any other method is a change. It runs in every run unless the block unless holds, which
// is checked again afterwards.
//
// Errors:
//   - the server cannot be reached from the host, or its certificate does not verify
//   - the status is not in status, or the answer does not match expect
//   - the answer has more than 8 MiB, or takes longer than within
//   - unless still does not hold after the request
type Task struct {
	// URL is the request's URL, by http or https. The host resolves its name.
	URL string `hcl:"url"`
	// Method is the method, such as "POST".
	Method string `hcl:"method,optional" default:"GET"`
	// Headers are sent with the request, also with the request of unless.
	Headers map[string]string `hcl:"headers,optional"`
	// Username is the login for basic authentication.
	Username string `hcl:"username,optional"`
	// Password goes with username.
	Password secret.Value `hcl:"password,optional"`
	// Token is sent as "Authorization: Bearer", instead of username and password.
	Token secret.Value `hcl:"token,optional"`
	// Body is the text to send. At most one of body, json and form is given.
	Body string `hcl:"body,optional"`
	// JSON is a value to send as JSON, with the content type for it.
	JSON cty.Value `hcl:"json,optional"`
	// Form are fields to send as an HTML form does, with the content type for it.
	Form map[string]string `hcl:"form,optional"`
	// Status are the status codes that mean success.
	Status []int `hcl:"status,optional" default:"200" nonempty:"want at least one status code"`
	// Expect is a text or regular expression that the answer must contain.
	Expect string `hcl:"expect,optional"`
	// Follow follows redirects, ten at most. Another server gets neither headers nor login, and a
	// redirect that asks it for the body again is an error.
	Follow bool `hcl:"follow,optional"`
	// ReadOnly declares that the request changes nothing despite its method, such as a
	// search by POST.
	ReadOnly bool `hcl:"read_only,optional"`
	// CAPEM are the certificates, in PEM, that verify the server. Default:
	// those of the machine kinit runs on.
	CAPEM string `hcl:"ca_pem,optional"`
	// Insecure accepts any certificate of the server.
	Insecure bool `hcl:"insecure,optional"`
	// Within is how long a request can take, such as "10s".
	Within module.Duration `hcl:"within,optional" default:"30s" like:"30s"`
	// Unless is a GET request: if its answer is as expected, the task's request is not sent.
	Unless *Unless `hcl:"unless,block"`

	answer answer
}

// Unless is a request that checks whether the task's request is needed. It has the headers
// and the login of that one.
type Unless struct {
	// URL is its URL. Default: the url of the task.
	URL string `hcl:"url,optional"`
	// Status are the status codes that make the task's request unneeded.
	Status []int `hcl:"status,optional" default:"200"`
	// Expect is a text or regular expression that the answer must also contain.
	Expect string `hcl:"expect,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "http_request", OS: []module.OS{module.Linux, module.Windows}})
}

func (t *Task) Validate() error {
	if err := t.trust().Validate(t.URL); err != nil {
		return err
	}
	switch {
	case t.Method == "" || t.Method != strings.ToUpper(t.Method) || strings.ContainsAny(t.Method, " \t\r\n"):
		return fmt.Errorf("method is %q, want one such as \"POST\"", t.Method)
	case lists.Count(t.Body != "", t.JSON != cty.NilVal, t.Form != nil) > 1:
		return errors.New("want at most one of body, json and form")
	case t.Password != "" && t.Username == "":
		return errors.New("username is missing, want it beside password")
	case t.Token != "" && t.Username != "":
		return errors.New("want token or username, not both")
	}
	if t.Unless == nil {
		return nil
	}
	if t.reads() {
		return errors.New("unless says when a change is needed, and this request changes nothing: leave it out")
	}
	if err := t.trust().Validate(t.unless().url); err != nil {
		return fmt.Errorf("unless: %w", err)
	}
	return nil
}

func (t *Task) trust() httpclient.Options {
	return httpclient.Options{CAPEM: t.CAPEM, Insecure: t.Insecure, Follow: t.Follow}
}

// reads reports whether the request changes nothing.
func (t *Task) reads() bool {
	return t.ReadOnly || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, t.Method)
}

// Unverifiable reports whether no condition shows if the request is still needed.
func (t *Task) Unverifiable() bool { return !t.reads() && t.Unless == nil }

// Plan checks unless. A request that changes nothing is sent here.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	// The output could show the login in its encoded form too.
	if t.Token != "" {
		h.AddSecret(t.Token)
	}
	if t.Password != "" {
		pair := t.Username + ":" + t.Password.Reveal()
		h.AddSecret(t.Password, secret.Value(base64.StdEncoding.EncodeToString([]byte(pair))))
	}
	if t.reads() {
		return nil, t.do(ctx, h)
	}
	if t.Unless != nil {
		got, err := t.send(ctx, h, t.unless())
		if err != nil {
			return nil, fmt.Errorf("unless: %w", err)
		}
		if t.unless().wrong(h, got) == nil {
			t.answer = got
			return nil, nil
		}
	}
	return module.OneStep(t.Method+" "+httpclient.Shown(h, t.URL), t.do), ctx.Err()
}

func (t *Task) do(ctx context.Context, h module.Host) error {
	got, err := t.send(ctx, h, t.request())
	if err != nil {
		return err
	}
	t.answer = got
	return t.request().wrong(h, got)
}

type Outputs struct {
	// the status code of the answer; that of the block unless if it made the request unneeded
	Status int          `cty:"status"`
	Body   module.Exact `cty:"body"` // the text of the answer
	// the headers of the answer, by name in lower case; repeated ones are joined by ", "
	Headers map[string]string `cty:"headers"`
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	headers := map[string]string{}
	for name, values := range t.answer.headers {
		headers[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	return Outputs{
		Status: t.answer.status, Body: module.Exact(t.answer.body), Headers: headers,
	}, nil
}
