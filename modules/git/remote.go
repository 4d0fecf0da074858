package git

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/module"
)

// target is the commit to check out, with its branch or tag.
type target struct {
	commit string
	branch string // the branch, if ref is a branch or empty
}

// resolve finds the commit of ref. Only a name needs access to the repository.
func (t *Task) resolve(ctx context.Context, h module.Host) (target, error) {
	if isCommit(t.Ref) {
		return target{commit: t.Ref}, ctx.Err()
	}
	list, err := t.git(ctx, h, append(append([]string{"ls-remote", "--symref"}, t.server()...), "--", t.Repository)...)
	if err != nil {
		return target{}, fmt.Errorf("read the repository: %w", err)
	}
	return pick(parseRefs(list), t.Ref, h.Redact(t.Repository))
}

func isCommit(ref string) bool { return regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(ref) }

// refs is the output of ls-remote.
type refs struct {
	commits map[string]string // by the whole name of the ref
	head    string            // the default branch
}

// parseRefs reads lines of a hash, a tab and a name, and that of the default branch,
// which has "ref: <name>" for the hash.
func parseRefs(list string) refs {
	r := refs{commits: map[string]string{}}
	for line := range strings.Lines(list) {
		hash, name, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if branch, ok := strings.CutPrefix(hash, "ref: refs/heads/"); ok && name == "HEAD" {
			r.head = branch
			continue
		}
		r.commits[name] = hash
	}
	return r
}

// pick finds a branch or tag. An annotated tag is listed a second time with ^{} and its
// commit.
func pick(r refs, ref, repository string) (target, error) {
	if ref == "" {
		if r.head == "" || r.commits["refs/heads/"+r.head] == "" {
			return target{}, fmt.Errorf("%s has no default branch: give ref", repository)
		}
		ref = r.head
	}
	if commit := r.commits["refs/heads/"+ref]; commit != "" {
		return target{commit: commit, branch: ref}, nil
	}
	for _, name := range []string{"refs/tags/" + ref + "^{}", "refs/tags/" + ref} {
		if commit := r.commits[name]; commit != "" {
			return target{commit: commit}, nil
		}
	}
	var known []string
	for name := range r.commits {
		for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
			if short, ok := strings.CutPrefix(name, prefix); ok && !strings.HasSuffix(short, "^{}") {
				known = append(known, short)
			}
		}
	}
	return target{}, fmt.Errorf("%s has no branch or tag %q, and it is no commit of 40 hex digits.%s", repository, ref, diag.Near(ref, known))
}
