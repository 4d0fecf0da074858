package sequences

import (
	"slices"
	"testing"
)

func TestCommandLinesAreReadFromAdvice(t *testing.T) {
	t.Parallel()
	text := "For a second cluster beside it:\n    kinit run shop.hcl --hosts h1,h2 --var extras='[\"line\", \"cron\"]' \\\n        --set pool.web.count=3 \\\n        --set cluster.name=shop-2\nTo rebuild the cluster:\n    kinit run shop.hcl --recreate\n"
	found := commandAdvice.FindAllString(text, -1)
	if len(found) != 2 {
		t.Fatalf("found %q", found)
	}
	c := Advised(shellWords(found[0]))
	if c.Name != "shop-2" || c.Web != 3 || !slices.Equal(c.Hosts, []string{"h1", "h2"}) || !slices.Equal(c.Extras, []string{"line", "cron"}) || c.Cluster() != "shop-2" {
		t.Errorf("the first command is %v", c)
	}
	want := []string{"run", "shop.hcl", "--hosts", "h1,h2", "--var", `extras=["line", "cron"]`, "--set", "pool.web.count=3", "--set", "cluster.name=shop-2"}
	if !slices.Equal(c.Line, want) {
		t.Errorf("the line is %q", c.Line)
	}
	if c := Advised(shellWords(found[1])); !slices.Equal(c.Flags, []string{"--recreate"}) {
		t.Errorf("the second command is %v", c)
	}
}
