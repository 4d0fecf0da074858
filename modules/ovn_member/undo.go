package ovnmember

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/ovn/raft"
)

// former is the data in the marks of members.
type former struct {
	Unit    string `json:"unit"`
	Founder bool   `json:"founder"` // its content was the host's own
}

//go:embed scripts/undo.sh
var undoScript string

// Undo takes the member out of its cluster and makes it standalone again. What the first member has
// stays; the others get back what they had before.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	var was former
	if err := json.Unmarshal([]byte(mark.Prior), &was); err != nil {
		return fmt.Errorf("the mark does not say how it was: %w", err)
	}
	db, found := raft.Find(mark.ID)
	if !found {
		return fmt.Errorf("OVN has no database %q", mark.ID)
	}
	founder := ""
	if was.Founder {
		founder = "founder"
	}
	_, err := h.Run(ctx, module.Command{
		Argv: []string{"sh", "-c", undoScript, "ovn-undo", db.File, db.Control(), db.Name, was.Unit, founder},
		Name: "make " + db.File + " standalone",
	})
	return err
}
