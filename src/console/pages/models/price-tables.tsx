/** Below the models: which tables their prices come from, how old these are, and what changed so much that it must be confirmed. */

import type { HeldPriceView, PriceTablesView, PriceTableView } from '../../../admin/contracts/price-table-contract.ts';
import { ask } from '../../api/ask.ts';
import { useAsk } from '../../api/use-ask.ts';
import { useChange } from '../../api/use-change.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useSession } from '../../session/session.tsx';
import { useWords } from '../../words/use-words.tsx';

const tablesPath = '/console/api/price-tables';
const everyMs = 60_000;
/** A first table may hold many; the command line lists them all. */
const heldShown = 10;

export function PriceTables() {
  const words = useWords().models.tables;
  const session = useSession();
  const { data } = useAsk<PriceTablesView>(tablesPath, {
    everyMs,
    when: session.may('GET /console/api/price-tables'),
  });
  if (data === undefined) return null;
  const waiting = data.tables.flatMap(({ source, held }) => held.map((each) => ({ source, held: each })));
  return (
    <section aria-label={words.title} className="grid gap-2 text-sm text-quiet">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span>{words.title}</span>
        {data.tables.map((table) => (
          <TableAge key={table.version} table={table} />
        ))}
        {data.old && <Badge tone="warn">{words.old}</Badge>}
      </div>
      {data.old && <p>{words.refresh}</p>}
      {data.fault !== undefined && <p className="break-words text-warn">{words.fault(data.fault)}</p>}
      {data.tables.map((table) => (
        <LeftOut key={table.version} table={table} />
      ))}
      {waiting.slice(0, heldShown).map(({ source, held }) => (
        <Held key={`${source} ${held.host} ${held.model}`} source={source} held={held} />
      ))}
      {waiting.length > heldShown && <p>{words.more(waiting.length - heldShown)}</p>}
    </section>
  );
}

function TableAge({ table }: { readonly table: PriceTableView }) {
  const words = useWords().models.tables;
  return (
    <span title={table.origin ?? words.bundled} className="whitespace-nowrap">
      {table.version} · {table.dated ? words.age(table.ageDays) : words.fetched(table.ageDays)}
    </span>
  );
}

/** What of the table is not understood, folded in. */
function LeftOut({ table: { version, leftOut } }: { readonly table: PriceTableView }) {
  const words = useWords().models.tables;
  if (leftOut === undefined) return null;
  const { models, keys, kept, named } = leftOut;
  const rest = models + keys - named.length;
  return (
    <details>
      <summary className="cursor-pointer">{words.leftOut(version, models, keys)}</summary>
      <div className="grid gap-1 py-2">
        <p>{words.leftOutHint(kept)}</p>
        <ul className="grid gap-1 text-xs">
          {named.map(({ place, says }) => (
            <li key={place} className="break-words">
              <span className="font-mono">{place}</span> {says}
            </li>
          ))}
        </ul>
        {rest > 0 && <p>{words.moreLeftOut(rest)}</p>}
      </div>
    </details>
  );
}

function Held({ source, held }: { readonly source: string; readonly held: HeldPriceView }) {
  const words = useWords().models.tables;
  const session = useSession();
  const { host, model } = held;
  const confirm = useChange(
    () => ask<PriceTablesView>(`${tablesPath}/confirm`, { body: { source, host, model } }),
    [tablesPath, '/console/api/models', '/console/api/model'],
  );
  const changes = held.rates.map(({ rate, before = '–', after = '–', unit }) => `${rate} ${before} → ${after} ${unit}`);
  return (
    <div className="grid gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone="warn">{words.held}</Badge>
        <span className="font-mono text-text">{`${host}/${model}`}</span>
        <span className="min-w-0 break-words">{changes.join(', ')}</span>
        {session.may('POST /console/api/price-tables/confirm') && (
          <Button size="small" className="ml-auto" busy={confirm.isPending} onClick={() => confirm.mutate(undefined)}>
            {words.confirm}
          </Button>
        )}
      </div>
      <p className="text-xs">{words.heldHint(source)}</p>
      {confirm.error !== null && <ErrorNotice error={confirm.error} />}
    </div>
  );
}
