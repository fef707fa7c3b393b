/** The price tables as the console shows them, and the confirmation of held prices. */

import { z } from 'zod';
import type { KeptTable } from '../../configuration/kept-tables.ts';
import type { LiveTables } from '../../configuration/live-tables.ts';
import { areOld, tableFacts } from '../../configuration/table-facts.ts';
import { confirmHeld } from '../../configuration/update-prices.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { HeldPrice } from '../../prices/held-prices.ts';
import { rateText, rateWords, unitOf } from '../../prices/rates.ts';
import type { LeftOut } from '../../prices/tables/left-out.ts';
import { placeText } from '../../prices/tables/table-error.ts';
import type { PriceTableStore } from '../../store/prices/price-tables.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import type { HeldPriceView, LeftOutView, PriceTablesView, PriceTableView } from '../contracts/price-table-contract.ts';
import { checked } from '../tokens/token-terms.ts';

interface PriceTableAdminParts {
  readonly tables: Pick<LiveTables, 'kept' | 'poll'>;
  readonly store: PriceTableStore;
  readonly audit: Audit;
  /** The time of day. */
  wallMs(): number;
}

export interface PriceTableAdmin {
  view(): Promise<PriceTablesView>;
  confirm(actor: Actor, input: unknown): Promise<PriceTablesView>;
}

const text = z.string('must be text').min(1, 'must not be empty');
export const priceConfirmationSchema = z.union([
  z.strictObject({ source: text, host: text, model: text }),
  z.strictObject({ source: text, all: z.literal(true) }),
]);

export function createPriceTableAdmin({ tables, store, audit, wallMs }: PriceTableAdminParts): PriceTableAdmin {
  async function view(): Promise<PriceTablesView> {
    const { fault } = await store.fetchState();
    const kept = tables.kept.tables;
    const facts = tableFacts(
      kept.map(({ head }) => head),
      wallMs(),
    );
    return {
      tables: facts.map(({ version, day, ageDays, isDated, head }) => ({
        source: head?.source ?? 'bundled',
        version,
        day,
        ageDays,
        dated: isDated,
        ...(head !== undefined && { origin: head.origin, models: head.models }),
        ...keptView(kept.find((each) => each.head === head)),
      })),
      old: areOld(facts),
      ...(fault !== undefined && { fault }),
    };
  }

  return {
    view,
    async confirm(actor, input) {
      const meant = checked(priceConfirmationSchema, input);
      const isMeant = ({ host, model }: HeldPrice): boolean =>
        'all' in meant || (host === meant.host && model === meant.model);
      const done = await confirmHeld(meant.source, isMeant, { store, addresses: [], nowMs: wallMs });
      if (done.length === 0)
        throw new GatewayError('not_found', 'No price with that name is waiting for confirmation.');
      const subject = 'all' in meant ? meant.source : `${meant.host}/${meant.model}`;
      await audit.write(actor, { action: 'price-confirm', subject, detail: { source: meant.source } });
      // The next reply already follows it.
      await tables.poll();
      return view();
    },
  };
}

/** What is named of a table; the command line names more. */
const namedMax = 50;

function keptView(table: KeptTable | undefined): Pick<PriceTableView, 'held' | 'leftOut'> {
  if (table === undefined) return { held: [] };
  const { models, keys, named } = table.whole.leftOut;
  const shown = named.slice(0, namedMax);
  return {
    held: table.held.map(heldView),
    ...(named.length > 0 && {
      leftOut: { models, keys, kept: table.unread.length, named: shown.map(leftOutView) },
    }),
  };
}

const leftOutView = ({ what, path, line, says }: LeftOut): LeftOutView => ({
  what,
  place: placeText(path, line),
  says,
});

function heldView({ host, model, differences }: HeldPrice): HeldPriceView {
  return {
    host,
    model,
    rates: differences.map(({ rate, before, after }) => ({
      rate: rateWords(rate),
      ...(before !== undefined && { before: rateText(rate, before) }),
      ...(after !== undefined && { after: rateText(rate, after) }),
      unit: unitOf(rate),
    })),
  };
}
