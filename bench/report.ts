/** Turns figures into rows, and rows into a terminal table, JSON and `RESULTS.md`. */

import { readFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import type { Rounds } from './measure.ts';
import { median, medianRatio } from './statistics.ts';
import { weirOfHere } from './targets.ts';

export interface Goal {
  /** The figure or, with `ratio`, the ratio to nginx must not be above it. */
  readonly max: number;
  readonly of: 'figure' | 'ratio';
}

/** One line of the report. `bare` is the featureless Bun proxy: the runtime's share. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly weir: number;
  readonly nginx: number;
  readonly bare: number | undefined;
  readonly ratio: number;
  readonly goal: Goal | undefined;
  readonly reached: boolean | undefined;
  /** The text in nginx's column if the figure there is not nginx's. */
  readonly base?: string;
}

interface Compared {
  /** Whose figures the row shows, and beside whose; Weir beside nginx unless given. */
  readonly of?: string;
  readonly to?: string;
  /** The text in nginx's column if it is not nginx that Weir is compared with. */
  readonly base?: string;
}

export function rowOfRounds(what: string, unit: string, rounds: Rounds, goal?: Goal, compared: Compared = {}): Row {
  const figures = (name: string) => rounds.get(name) ?? [];
  const own = figures(compared.of ?? 'Weir');
  const others = figures(compared.to ?? 'nginx');
  const bare = compared.of === undefined && compared.to === undefined ? figures('bare Bun proxy') : [];
  return row(what, unit, {
    weir: median(own),
    nginx: median(others),
    bare: bare.length > 0 ? median(bare) : undefined,
    ratio: medianRatio(own, others),
    goal,
    ...(compared.base !== undefined && { base: compared.base }),
  });
}

type Figures = Pick<Row, 'weir' | 'nginx' | 'bare' | 'ratio' | 'goal' | 'base'>;

export function row(what: string, unit: string, figures: Figures): Row {
  const { goal } = figures;
  const reached = goal && (goal.of === 'ratio' ? figures.ratio : figures.weir) <= goal.max;
  return { what, unit, ...figures, reached };
}

const columns = ['', 'Weir', 'nginx', 'ratio', 'bare Bun proxy', 'goal', ''] as const;

function cells(entry: Row): string[] {
  return [
    entry.what,
    figure(entry.weir, entry.unit),
    figure(entry.nginx, entry.unit) + (entry.base === undefined ? '' : ` (${entry.base})`),
    `${entry.ratio.toFixed(2)} ×`,
    entry.bare === undefined ? '' : figure(entry.bare, entry.unit),
    goalText(entry),
    entry.reached === undefined ? '' : entry.reached ? 'ok' : 'MISSED',
  ];
}

function figure(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

function goalText({ goal, unit }: Row): string {
  if (!goal) return '';
  return goal.of === 'ratio' ? `≤ ${goal.max} ×` : `≤ ${goal.max} ${unit}`;
}

export function terminalTable(rows: readonly Row[]): string {
  const lines = [[...columns], ...rows.map(cells)];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('   ').trimEnd()).join('\n');
}

/** The conditions of the measurement. */
export function machine(nginxVersion: string) {
  const kernel = release().split('-')[0] ?? '';
  const memory = Number(/MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1] ?? 0);
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'} (${process.arch})`,
    memoryGigabytes: Math.round(memory / 1_048_576),
    kernel: `${process.platform} ${kernel}`,
    bun: Bun.version,
    nginx: nginxVersion,
    weir: `Weir started from ${weirOfHere.origin}`,
  };
}

export function markdown(rows: readonly Row[], about: ReturnType<typeof machine>, rounds: number): string {
  const line = (words: readonly string[]) => `| ${words.join(' | ')} |`;
  return [
    '# Bench results',
    '',
    'Written by `npm run bench -- --write`. Weir runs with authentication, routing, limits and the ledger (SQLite) on; nginx',
    'is a plain reverse proxy with one worker, kept-alive connections and no log; the bare Bun proxy has no features and',
    `shows the runtime's own share. All proxy to the same scripted upstream and take turns, ${rounds} rounds each. A figure is the`,
    'median of rounds, a ratio the median of the ratios within each round. Timings on a shared machine vary by a fifth and',
    'more between runs, and those of nginx with them: compare within one run, and two versions of Weir turn by turn',
    '(`npm run bench -- --against ../other-checkout`). Streams are measured once a server had them for ten seconds: until its',
    'code is compiled, a chunk costs Weir a third more.',
    '',
    `${about.date}, ${about.processor}, ${about.memoryGigabytes} GB, ${about.kernel}, Bun ${about.bun}, nginx ${about.nginx};`,
    `${about.weir}.`,
    '',
    line(['measured', ...columns.slice(1, 6), 'reached']),
    line(['---', '---:', '---:', '---:', '---:', '---:', '---']),
    ...rows.map((entry) => line(cells(entry))),
    '',
  ].join('\n');
}
