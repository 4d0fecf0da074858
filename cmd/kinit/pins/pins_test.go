package pins_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/pins"
)

func TestListIsReadBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	list := pins.List{
		"web":  {Used: "a server", Version: "1.27", Image: "registry.example/nginx", Digest: "sha256:" + strings.Repeat("a", 64)},
		"tool": {Version: "v1", URL: "https://site.example/v1/tool?a=1&b=2", SHA256URL: "https://site.example/v1/tool.sha256", Digest: "sha512:" + strings.Repeat("b", 128)},
	}
	text, err := list.Text()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "pins": {
    "tool": {
      "version": "v1",
      "url": "https://site.example/v1/tool?a=1&b=2",
      "sha256_url": "https://site.example/v1/tool.sha256",
      "digest": "sha512:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    },
    "web": {
      "used": "a server",
      "version": "1.27",
      "image": "registry.example/nginx",
      "digest": "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    }
  }
}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	got, err := pins.Parse(text)
	if diff := cmp.Diff(list, got); err != nil || diff != "" {
		t.Errorf("%v, list (-want +got):\n%s", err, diff)
	}
	if got := []string{list["web"].Reference(), list["tool"].Reference()}; !cmp.Equal(got, []string{"registry.example/nginx:1.27", "https://site.example/v1/tool?a=1&b=2"}) {
		t.Errorf("references %v", got)
	}
}

func TestWhatIsNoPinIsRefusedByItsName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"pins": {"a": {"version": "1"}}}`:                                           "the pin a wants an image or a url, and not both",
		`{"pins": {"a": {"version": "1", "image": "x/y", "url": "http://z/"}}}`:       "the pin a wants an image or a url, and not both",
		`{"pins": {"a": {"version": "latest", "image": "x/y"}}}`:                      `the pin a has the version "latest", want one that stays what it is`,
		`{"pins": {"a": {"image": "x/y"}}}`:                                           `the pin a has the version "", want one that stays what it is`,
		`{"pins": {"a": {"version": "1", "image": "x/y@z"}}}`:                         `the pin a has the image "x/y@z", want its name without tag and digest`,
		`{"pins": {"a": {"version": "1", "image": "x/y", "digest": "sha256:1"}}}`:     `the pin a has the digest "sha256:1", want sha256: and 64 hexadecimal digits`,
		`{"pins": {"a": {"version": "1", "url": "http://z/", "digest": "sha512:1"}}}`: `the pin a has the digest "sha512:1", want sha256: and 64 hexadecimal digits, or sha512: and 128`,
		`{"pins": {}} {}`: "there is more text after the list",
		`{"pins": {"a": {"version": "1", "image": "x/y", "digset": ""}}}`: `it is no JSON of the form {"pins": {NAME: …}}: json: unknown field "digset"`,
	} {
		if _, err := pins.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestSomeNamesWhatIsMeant(t *testing.T) {
	t.Parallel()
	list := pins.List{"haproxy": {Version: "1", Image: "a/b"}, "nginx": {Version: "1", Image: "a/c"}}
	if some, err := list.Some([]string{"nginx"}); err != nil || !cmp.Equal(some.Names(), []string{"nginx"}) {
		t.Errorf("%v, %v", some, err)
	}
	if some, err := list.Some(nil); err != nil || !cmp.Equal(some.Names(), []string{"haproxy", "nginx"}) {
		t.Errorf("%v, %v", some, err)
	}
	want := `there is no pin "hapoxy". Did you mean "haproxy"? 'kinit pins' lists all`
	if _, err := list.Some([]string{"hapoxy"}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
