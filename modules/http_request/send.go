package httprequest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/httpclient"
)

// longest is the most bytes of an answer, which becomes a value of the playbook.
const longest = 8 << 20

// request is a request with its expected answer.
type request struct {
	method, url string
	body        string
	contentType string
	status      []int
	expect      string
}

// answer is a server's answer.
type answer struct {
	status  int
	headers http.Header
	body    string
}

// request returns the task's own request. Validate has refused a body that cannot be JSON.
func (t *Task) request() request {
	r := request{method: t.Method, url: t.URL, body: t.Body, status: t.Status, expect: t.Expect}
	switch {
	case t.Form != nil:
		fields := url.Values{}
		for name, value := range t.Form {
			fields.Set(name, value)
		}
		r.body, r.contentType = fields.Encode(), "application/x-www-form-urlencoded"
	case t.JSON != cty.NilVal:
		r.contentType = "application/json"
	}
	return r
}

// unless returns the request that checks whether the task's request is needed.
func (t *Task) unless() request {
	url := cmp.Or(t.Unless.URL, t.URL)
	return request{method: http.MethodGet, url: url, status: t.Unless.Status, expect: t.Unless.Expect}
}

func (t *Task) send(ctx context.Context, h module.Host, r request) (answer, error) {
	limited, limit := module.Within(ctx, h, t.Within.Time())
	defer limit.End()
	got, err := t.exchange(limited, h, r)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return got, fmt.Errorf("%s %s was not answered within %s", r.method, httpclient.Shown(h, r.url), limit)
	}
	return got, err
}

func (t *Task) exchange(ctx context.Context, h module.Host, r request) (answer, error) {
	client, err := httpclient.New(h, t.trust())
	if err != nil {
		return answer{}, err
	}
	if t.JSON != cty.NilVal && r.contentType == "application/json" {
		text, err := ctyjson.Marshal(t.JSON, t.JSON.Type())
		if err != nil {
			return answer{}, fmt.Errorf("json: %w", err)
		}
		r.body = string(text)
	}
	q, err := http.NewRequestWithContext(ctx, r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	t.dress(q, r)
	resp, err := client.Do(q)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, longest+1))
	if err == nil && len(body) > longest {
		err = fmt.Errorf("the answer of %s has more than %d bytes", httpclient.Shown(h, r.url), longest)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}, err
}

// dress sets the headers. The task's headers come last, so that they can override the
// content type.
func (t *Task) dress(q *http.Request, r request) {
	if r.contentType != "" {
		q.Header.Set("Content-Type", r.contentType)
	}
	switch {
	case t.Token != "":
		q.Header.Set("Authorization", "Bearer "+t.Token.Reveal())
	case t.Username != "":
		q.SetBasicAuth(t.Username, t.Password.Reveal())
	}
	for name, value := range t.Headers {
		q.Header.Set(name, value)
		if http.CanonicalHeaderKey(name) == "Host" {
			q.Host = value
		}
	}
}

func (r request) wrong(h module.Host, got answer) error {
	if !slices.Contains(r.status, got.status) {
		return fmt.Errorf("%s %s is answered %d %s, want %s%s", r.method, httpclient.Shown(h, r.url), got.status,
			http.StatusText(got.status), codes(r.status), excerpt(h, got.body))
	}
	if r.expect != "" && !cmdtext.Matches(r.expect, got.body) {
		return fmt.Errorf("the answer of %s %s does not contain %q%s", r.method, httpclient.Shown(h, r.url), r.expect, excerpt(h, got.body))
	}
	return nil
}

func codes(all []int) string {
	if len(all) == 1 {
		return fmt.Sprint(all[0])
	}
	return fmt.Sprintf("one of %v", all)
}

func excerpt(h module.Host, body string) string {
	if text := cmdtext.Shorten(h.Redact(body)); text != "" {
		return "; it says: " + text
	}
	return ""
}
