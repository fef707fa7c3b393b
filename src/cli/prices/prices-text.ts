/** What `weir prices` shows: tables and their age, what an update changes, what waits, and what changed when. */

import type { KeptTable, KeptTables } from '../../configuration/kept-tables.ts';
import { ageText, type TableFacts, tableFacts } from '../../configuration/table-facts.ts';
import type { PlannedUpdate } from '../../configuration/update-prices.ts';
import { type RateDifference, rateText, rateWords, unitOf } from '../../prices/rates.ts';
import type { ModelChange } from '../../prices/tables/compare-tables.ts';
import { type LeftOut, type LeftOutReport, leftOutCount, leftOutText } from '../../prices/tables/left-out.ts';
import { placeText } from '../../prices/tables/table-error.ts';
import type { KeptRateChange, PriceFetchState, PriceTableHead } from '../../store/prices/price-tables.ts';
import { alignedTable, printable } from '../table.ts';

interface StatusFacts {
  readonly kept: KeptTables;
  readonly fetches: PriceFetchState;
  readonly addresses: readonly string[];
  readonly nowMs: number;
}

const bundledOrigin = 'bundled with this version';

export function statusText(facts: StatusFacts): string {
  const columns = [
    { title: 'Table' },
    { title: 'Of' },
    { title: 'Age' },
    { title: 'Models', align: 'right' },
    { title: 'Held', align: 'right' },
    { title: 'From' },
  ] as const;
  const rows = factsOf(facts).map(({ head, ...table }) => [
    table.version,
    table.day,
    ageText(table),
    head === undefined ? '' : `${head.models}`,
    head === undefined ? '' : `${heldIn(facts, head)}`,
    head?.origin ?? bundledOrigin,
  ]);
  const lines = [...leftOutLines(facts), ...fetchLines(facts), ...faultLines(facts)].map((line) => `${line}\n`);
  return alignedTable(columns, rows) + lines.join('');
}

const factsOf = ({ kept, nowMs }: StatusFacts): readonly TableFacts[] =>
  tableFacts(
    kept.tables.map(({ head }) => head),
    nowMs,
  );

function leftOutOf({ kept }: StatusFacts, { source }: PriceTableHead): object {
  const table = kept.tables.find(({ head }) => head.source === source);
  return table === undefined ? {} : { kept: table.unread.length, leftOut: leftOutJson(table.whole.leftOut) };
}

function heldIn({ kept }: StatusFacts, { source }: PriceTableHead): number {
  return kept.tables.find(({ head }) => head.source === source)?.held.length ?? 0;
}

/** Of each table, what is not understood. */
function leftOutLines({ kept: { tables } }: StatusFacts): string[] {
  return tables.flatMap(({ head, whole: { leftOut }, unread }) => {
    if (leftOut.named.length === 0) return [];
    const counted = `${leftOutCount(leftOut)} of ${head.version} left out`;
    const staying = unread.length === 0 ? '' : `; ${unread.length} of the models keep their previous price`;
    const rest = leftOut.models + leftOut.keys - Math.min(shownMax, leftOut.named.length);
    const more = rest === 0 ? [] : [`  … and ${rest} more; --json names ${leftOut.named.length}`];
    return ['', `${counted}${staying}`, ...leftOut.named.slice(0, shownMax).map(namedLine), ...more];
  });
}

const namedLine = (one: LeftOut): string => `  ${printable(leftOutText(one))}`;

function leftOutJson({ models, keys, named }: LeftOutReport): unknown {
  const list = named.map(({ host, model, what, path, line, says }) => ({
    what,
    host,
    model,
    place: placeText(path, undefined),
    line: line ?? null,
    says,
  }));
  return { models, keys, named: list };
}

function fetchLines({ addresses, fetches }: StatusFacts): string[] {
  if (addresses.length === 0) {
    return [
      '',
      'Prices are not updated automatically. Run `weir prices update --file F` or `--url U`,',
      'or set price_tables.url to update them every day.',
    ];
  }
  const next = fetches.dueAtMs > 0 ? `, next at ${timeText(fetches.dueAtMs)}` : '';
  return ['', `Updated automatically: ${addresses.map(printable).join(', ')}${next}`];
}

function faultLines({ kept, fetches }: StatusFacts): string[] {
  const unread = kept.faults.map(({ head, fault }) => `${head.version} cannot be read: ${printable(fault)}`);
  if (fetches.fault === undefined) return unread;
  const at = fetches.triedAtMs === undefined ? '' : ` at ${timeText(fetches.triedAtMs)}`;
  return [...unread, `The last update failed${at}: ${printable(fetches.fault)}`];
}

export function statusJson(facts: StatusFacts): unknown {
  return {
    tables: factsOf(facts).map(({ version, day, ageDays, isDated, head }) => ({
      source: head?.source ?? 'bundled',
      version,
      asOf: isDated ? day : null,
      ageDays,
      ...(head !== undefined && {
        fetchedAt: new Date(head.fetchedAtMs).toISOString(),
        models: head.models,
        held: heldIn(facts, head),
        ...leftOutOf(facts, head),
      }),
      origin: head?.origin ?? bundledOrigin,
    })),
    addresses: facts.addresses,
    fault: facts.fetches.fault ?? null,
  };
}

interface ShownUpdate {
  isServed(source: string, host: string, model: string): boolean;
  readonly isDry: boolean;
  readonly isWhole: boolean;
}

const shownMax = 20;
const titles: readonly (readonly [ModelChange['kind'], string])[] = [
  ['held', 'Held: changed by more than 10×; the old price applies until `weir prices confirm SOURCE HOST/MODEL`'],
  ['kept', 'Kept: the new price is not understood, so the previous one applies'],
  ['changed', 'Changed'],
  ['removed', 'Removed'],
  ['added', 'Added'],
];

export function updateText(update: PlannedUpdate, shown: ShownUpdate): string {
  const { table, comparison, origin, isSame } = update;
  const { changes, models, unchanged } = comparison;
  const of = (kind: ModelChange['kind']): readonly ModelChange[] => changes.filter((change) => change.kind === kind);
  const counted = titles.filter(([kind]) => kind !== 'kept' || of(kind).length > 0);
  const counts = counted.map(([kind]) => `${of(kind).length} ${kind}`).join(', ');
  const head = `${table.version} from ${printable(origin)}: ${models} models with a price\n${counts}, ${unchanged} unchanged\n`;
  const isServed = ({ host, model }: LeftOut): boolean => shown.isServed(table.source, host, model);
  const unread = [...table.unread];
  const { leftOut } = table;
  const named = leftOut.named.toSorted((a, b) => Number(isServed(b)) - Number(isServed(a)));
  const most = shown.isWhole ? named.length : Math.min(shownMax, named.length);
  const rest = leftOut.models + leftOut.keys - most;
  const leftLines = [
    ...named.slice(0, most).map((one) => `  ${isServed(one) ? '*' : ' '} ${printable(leftOutText(one))}\n`),
    ...(rest === 0 ? [] : [`    … and ${rest} more${named.length > most ? '; --all shows them' : ''}\n`]),
  ];
  const left = named.length === 0 ? '' : `\nLeft out: not understood (${leftOutCount(leftOut)})\n${leftLines.join('')}`;
  const notes = [
    ...(unread.length === 0
      ? []
      : [`Unsupported kinds of price: ${unread.map(([kind, count]) => `${printable(kind)} (${count})`).join(', ')}`]),
    ...(isSame && !shown.isDry ? ['This price list is already in use.'] : []),
    ...(shown.isDry ? ['No changes applied (--dry-run).'] : []),
  ];
  const lists = titles.map(([kind, title]) => changeList(title, of(kind), table.source, shown)).join('');
  return `${head}${left}${lists}${notes.length === 0 ? '' : `\n${notes.join('\n')}\n`}`;
}

/** Models that configured providers serve come first. */
function changeList(title: string, changes: readonly ModelChange[], source: string, shown: ShownUpdate): string {
  if (changes.length === 0) return '';
  const isServed = ({ host, model }: ModelChange): boolean => shown.isServed(source, host, model);
  const sorted = changes.toSorted((a, b) => Number(isServed(b)) - Number(isServed(a)));
  const most = shown.isWhole ? sorted.length : shownMax;
  const lines = sorted.slice(0, most).map((change) => {
    const mark = isServed(change) ? '*' : ' ';
    return (
      `  ${mark} ${printable(`${change.host}/${change.model}`)}  ${differencesText(change.differences, change.kind === 'added')}`.trimEnd() +
      '\n'
    );
  });
  const more = sorted.length > most ? `    … and ${sorted.length - most} more; --all shows them\n` : '';
  const served = sorted.filter(isServed).length;
  const note = served === 0 ? '' : `, * served here: ${served}`;
  return `\n${title.replace('SOURCE', source)} (${changes.length}${note})\n${lines.join('')}${more}`;
}

/** Adjacent rates of one unit name it once. */
function differencesText(differences: readonly RateDifference[], isNew = false): string {
  return differences
    .map(({ rate, before, after }, at) => {
      const amounts = isNew ? rateText(rate, after) : `${rateText(rate, before)} → ${rateText(rate, after)}`;
      const unit = unitOf(rate);
      const next = differences[at + 1];
      return `${printable(rateWords(rate))} ${amounts}${next !== undefined && unitOf(next.rate) === unit ? '' : ` ${unit}`}`;
    })
    .join(', ');
}

export function updateJson(update: PlannedUpdate, shown: ShownUpdate): unknown {
  const { table, comparison, origin } = update;
  return {
    source: table.source,
    version: table.version,
    asOf: table.asOf ?? null,
    origin,
    applied: !shown.isDry,
    models: comparison.models,
    unchanged: comparison.unchanged,
    leftOut: leftOutJson(table.leftOut),
    changes: comparison.changes.map(({ kind, host, model, differences }) => ({
      kind,
      host,
      model,
      served: shown.isServed(table.source, host, model),
      rates: differences.map(rateJson),
    })),
  };
}

function rateJson({ rate, before, after }: RateDifference): unknown {
  return {
    rate,
    unit: unitOf(rate),
    before: before === undefined ? null : rateText(rate, before),
    after: after === undefined ? null : rateText(rate, after),
  };
}

export function heldText(tables: readonly KeptTable[]): string {
  return tables
    .flatMap(({ head, held }) =>
      held.map(
        ({ host, model, differences }) =>
          `${head.source} ${printable(`${host}/${model}`)}  ${differencesText(differences)}\n`,
      ),
    )
    .join('');
}

export function heldJson(tables: readonly KeptTable[]): unknown {
  return tables.flatMap(({ head, held }) =>
    held.map(({ host, model, differences }) => ({
      source: head.source,
      host,
      model,
      rates: differences.map(rateJson),
    })),
  );
}

export function historyText(changes: readonly KeptRateChange[]): string {
  return alignedTable(
    [
      { title: 'From' },
      { title: 'Model' },
      { title: 'Rate' },
      { title: 'Before', align: 'right' },
      { title: 'After', align: 'right' },
      { title: 'Unit' },
      { title: 'Source' },
      { title: 'State' },
    ],
    changes.map(({ atMs, host, model, rate, before, after, source, state }) => [
      timeText(atMs),
      `${host}/${model}`,
      rateWords(rate),
      rateText(rate, before),
      rateText(rate, after),
      unitOf(rate),
      source,
      state,
    ]),
  );
}

export function historyJson(changes: readonly KeptRateChange[]): unknown {
  return changes.map(({ atMs, source, host, model, state, ...difference }) => ({
    at: new Date(atMs).toISOString(),
    source,
    host,
    model,
    state,
    ...(rateJson(difference) as object),
  }));
}

const timeText = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')}Z`;
