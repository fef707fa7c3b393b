/** Turns the figures of several gateways into a table and `PEERS.md`. */

import type { Rounds } from '../measure.ts';
import type { machine } from '../report.ts';
import { median, medianRatio } from '../statistics.ts';

/** CPU µs of every target, round by round; NaN where it failed. */
export interface PeerRow {
  readonly what: string;
  readonly rounds: Rounds;
}

export interface PeersReport {
  readonly rows: readonly PeerRow[];
  /** The targets, in the order of the lines. */
  readonly names: readonly string[];
  readonly versions: ReadonlyMap<string, string>;
  readonly remarks: ReadonlySet<string>;
}

function cell({ rounds }: PeerRow, name: string): string {
  const own = rounds.get(name) ?? [];
  if (own.length === 0 || own.some(Number.isNaN)) return 'failed';
  const micros = median(own);
  const shown = `${micros.toFixed(micros < 100 ? 1 : 0)} µs`;
  return name === 'nginx' ? shown : `${shown} (${medianRatio(own, rounds.get('nginx') ?? []).toFixed(1)} ×)`;
}

function lines({ rows, names }: PeersReport): string[][] {
  const head = ['gateway', ...rows.map(({ what }) => what)];
  return [head, ...names.map((name) => [name, ...rows.map((row) => cell(row, name))])];
}

export function peersTable(report: PeersReport): string {
  const all = lines(report);
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const table = all.map((line) => line.map(pad).join('   '));
  const versions = [...report.versions].map(([name, version]) => `${name} ${version}`);
  return [...table, '', ...versions, ...report.remarks].join('\n');
}

export function peersMarkdown(report: PeersReport, about: ReturnType<typeof machine>, rounds: number): string {
  const [head = [], ...body] = lines(report);
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  const versions = [...report.versions].map(([name, version]) => `${name} ${version}`);
  return [
    '# Weir beside other gateways',
    '',
    'Written by `npm run bench:peers`. CPU time of the gateway per request of 1 KB and per streamed chunk, and in brackets',
    `its ratio to nginx as a plain proxy. All proxy to the same scripted upstream and take turns, ${rounds} rounds each; a`,
    'figure is the median of rounds, a ratio the median of the ratios within each round. Each gateway runs as one process',
    'with one provider, one key and its own defaults otherwise: LiteLLM and Portkey keep no ledger, Bifrost runs without',
    'its stores, new-api with SQLite. Slow gateways get fewer requests.',
    '',
    `${[`${about.date}, ${about.processor}, ${about.memoryGigabytes} GB, ${about.kernel}`, `Bun ${about.bun}`, `nginx ${about.nginx}`, about.weir, ...versions].join(',\n')}.`,
    '',
    line(head),
    line(head.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...body.map(line),
    '',
    ...(report.remarks.size > 0 ? [...[...report.remarks].map((remark) => `- ${remark}`), ''] : []),
  ].join('\n');
}
