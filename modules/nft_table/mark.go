package nfttable

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/nft"
)

// undoTable deletes a table of nftables.
func undoTable(ctx context.Context, h module.Host, mark module.Mark) error {
	family, name, found := strings.Cut(mark.ID, " ")
	if !found {
		return errors.New("the mark does not name a family and a table")
	}
	exists, err := nft.Exists(ctx, h, family, name)
	if err != nil || !exists {
		return err
	}
	table, err := nft.Run(ctx, h, "", "--stateless", "list", "table", family, name)
	if err != nil {
		return err
	}
	if owner := nft.Owner(table); owner != "" && owner != claim.Signature(h) {
		h.Report(event.Progress{Text: fmt.Sprintf("nft table %s is left alone: %s made it", mark.ID, claim.Who(owner, claim.Signature(h)))})
		return nil
	}
	_, err = nft.Run(ctx, h, "", "delete", "table", family, name)
	return err
}
