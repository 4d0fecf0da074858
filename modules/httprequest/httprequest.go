// Package httprequest is the module "http_request": a request that a host makes, and
// what the answer must be.
//
// The connection is the host's, over the transport that reaches it; the host needs
// no program, and no password is in its list of processes.
package httprequest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/httpclient"
)

// Task is a request to an HTTP server and what it must answer.
//
// GET, HEAD and OPTIONS change nothing: they are done while planning, in a dry run
// too. Any other method is a change, which happens in every run unless the block
// unless says when nothing is to do. It is asked again afterwards.
//
// Outputs:
//   - status: the status code of the answer; that of the block unless where it made the request unneeded
//   - body: the text of the answer
//   - headers: the headers of the answer, by name in lower case; several of a name are joined by ", "
//
// Errors:
//   - the server cannot be reached from the host, or its certificate does not verify
//   - the status is none of status, or the answer does not contain what expect asks for
//   - the answer has more than 8 MiB, or takes longer than within
//   - unless still does not hold after the request
type Task struct {
	// URL is where the request goes, by http or https. Names are those the host knows.
	URL string `hcl:"url"`
	// Method is the method, such as "POST".
	Method string `hcl:"method,optional"`
	// Headers are sent with the request, also with that of unless.
	Headers map[string]string `hcl:"headers,optional"`
	// Username is for a server that asks for a login (basic authentication).
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
	Status []int `hcl:"status,optional"`
	// Expect is a text or regular expression that the answer must contain.
	Expect string `hcl:"expect,optional"`
	// Follow follows redirects, ten at most.
	Follow bool `hcl:"follow,optional"`
	// ReadOnly says that the request changes nothing whatever its method, such as a
	// search by POST.
	ReadOnly bool `hcl:"read_only,optional"`
	// CAPEM is the certificates, in PEM, that the server is verified with. Default:
	// those of the machine kinit runs on.
	CAPEM string `hcl:"ca_pem,optional"`
	// Insecure accepts any certificate of the server.
	Insecure bool `hcl:"insecure,optional"`
	// Within is how long a request may take, such as "10s".
	Within string `hcl:"within,optional"`
	// Unless is a GET request: when it is answered as asked, nothing is to do.
	Unless *Unless `hcl:"unless,block"`

	answer answer
}

// Unless is a request that asks whether another one is needed. It has the headers
// and the login of that one.
type Unless struct {
	// URL is where it goes. Default: the url of the task.
	URL string `hcl:"url,optional"`
	// Status are the status codes that mean that nothing is to do. Default [200].
	Status []int `hcl:"status,optional"`
	// Expect is a text or regular expression that the answer must contain too.
	Expect string `hcl:"expect,optional"`
}

// Kind is the module "http_request".
func Kind() module.Kind {
	return module.Kind{Name: "http_request", OS: []module.OS{module.Linux, module.Windows}, New: func() module.Task {
		return &Task{Method: http.MethodGet, Status: []int{http.StatusOK}, Within: "30s"}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := t.trust().Validate(t.URL); err != nil {
		return err
	}
	if d, err := time.ParseDuration(t.Within); err != nil || d <= 0 {
		return fmt.Errorf("within is %q, want a duration such as \"30s\"", t.Within)
	}
	bodies := 0
	for _, is := range []bool{t.Body != "", t.JSON != cty.NilVal, t.Form != nil} {
		if is {
			bodies++
		}
	}
	switch {
	case t.Method == "" || t.Method != strings.ToUpper(t.Method) || strings.ContainsAny(t.Method, " \t\r\n"):
		return fmt.Errorf("method is %q, want one such as \"POST\"", t.Method)
	case bodies > 1:
		return errors.New("want at most one of body, json and form")
	case len(t.Status) == 0:
		return errors.New("status is empty, want at least one status code")
	case t.Password != "" && t.Username == "":
		return errors.New("username is missing, want it beside password")
	case t.Token != "" && t.Username != "":
		return errors.New("want token or username, not both")
	}
	return t.checkUnless()
}

func (t *Task) checkUnless() error {
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

// reads tells whether the request changes nothing.
func (t *Task) reads() bool {
	return t.ReadOnly || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, t.Method)
}

// Unverifiable tells that nothing says whether the request is still needed.
func (t *Task) Unverifiable() bool { return !t.reads() && t.Unless == nil }

// Plan asks unless. A request that changes nothing is made here.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	t.tellSecrets(h)
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
	return []module.Step{module.NewStep(t.Method+" "+h.Redact(t.request().shown()), t.do)}, ctx.Err()
}

func (t *Task) do(ctx context.Context, h module.Host) error {
	got, err := t.send(ctx, h, t.request())
	if err != nil {
		return err
	}
	t.answer = got
	return t.request().wrong(h, got)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"status": cty.Number, "body": cty.String, "headers": cty.Map(cty.String)}
}

// Outputs returns the last answer.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	headers := map[string]cty.Value{}
	for name, values := range t.answer.headers {
		headers[strings.ToLower(name)] = cty.StringVal(strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD"))
	}
	all := cty.MapValEmpty(cty.String)
	if len(headers) > 0 {
		all = cty.MapVal(headers)
	}
	return map[string]cty.Value{
		"status":  cty.NumberIntVal(int64(t.answer.status)),
		"body":    cty.StringVal(strings.ToValidUTF8(t.answer.body, "\uFFFD")),
		"headers": all,
	}, nil
}

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
)
