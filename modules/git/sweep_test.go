package git

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/unarchive"
)

func TestSweepOfACheckoutWithWorkInItMustBeNamed(t *testing.T) {
	t.Parallel()
	r := serve(t)
	r.tag("v1")
	const commit = "git -c user.name=a -c user.email=a@b commit -qam x"
	for name, c := range map[string]struct {
		args, change string
		want         bool
	}{
		"as it was checked out":     {want: false},
		"a tag":                     {args: `ref = "v1"`, want: false},
		"without its history":       {args: `depth = 1`, want: false},
		"a changed file":            {change: "echo x >f", want: true},
		"a new file":                {change: "echo x >g", want: true},
		"an ignored file":           {change: "echo g >.git/info/exclude && echo x >g", want: true},
		"a commit":                  {change: "echo x >f && " + commit, want: true},
		"a commit without a branch": {args: `ref = "v1"`, change: "echo x >f && " + commit, want: true},
		"a commit of a branch":      {change: "git checkout -qb x && echo x >f && " + commit + " && git checkout -q main", want: true},
		"a stash":                   {change: "echo x >f && git -c user.name=a -c user.email=a@b stash -q", want: true},
		"git cannot read it":        {change: "echo x >.git/HEAD", want: true},
		"others can change its git": {change: "chmod 0666 .git/config", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := moduletest.LocalHost(t, "demo")
			moduletest.Do(t, task(t, h, r.url, c.args), h)
			moduletest.Shell(t, h.Path("new/dest"), c.change)
			holds, err := unarchive.Tree().Data(t.Context(), h, module.Mark{Kind: "tree", ID: h.Path("new/dest")})
			if holds != c.want || err != nil {
				t.Errorf("holds work: %t, %v; want %t", holds, err, c.want)
			}
		})
	}
}
