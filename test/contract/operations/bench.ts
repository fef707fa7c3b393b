/** Weir as a process of its own before scripted providers, each of them as its own preset or kind. */

import { expect } from 'bun:test';
import { type UsageRow, usageRowOf } from '../../harness/ledger-rows.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';
import { type Answer, type Scripted, startScripted, type Tree } from './scripted.ts';

export const providerKey = 'provider-key-0123456789';

export interface Row {
  /** A preset, or the kind of a wire format. */
  readonly kind: string;
  /** Absent where any name will do behind the provider's own. */
  readonly models?: readonly string[];
  readonly answer: Answer;
  /** Between the host and the declared path: `/v1` for most. */
  readonly base: string;
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Bench {
  readonly weir: RunningWeir;
  up(name: string): Scripted;
  post(path: string, body: Tree | string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  form(path: string, form: FormData, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The usage row of a reply, once it is written. */
  row(reply: Response): Promise<UsageRow>;
  /** Judged by `expectRows` with all others: rows are written once a second, and waiting for each would take a second. */
  expectRow(reply: Response, expected: Partial<UsageRow>): void;
  /** Compares the usage rows of all replies with what was expected of them. */
  expectRows(): Promise<void>;
  remove(): Promise<void>;
}

export async function startBench(
  rows: Readonly<Record<string, Row>>,
  more: { readonly models?: object; readonly prices?: object; readonly unchecked?: string } = {},
): Promise<Bench> {
  const started = new Map(Object.entries(rows).map(([name, row]) => [name, startScripted(row.answer)]));
  const providers = Object.entries(rows).map(([name, { kind, models, base, settings }]) => [
    name,
    {
      kind,
      base_url: `${started.get(name)?.url}${base}`,
      key: providerKey,
      ...(models === undefined ? {} : { models }),
      ...(settings === undefined ? {} : { settings }),
    },
  ]);
  const weir = await startWeir({
    yaml: {
      providers: Object.fromEntries(providers),
      models: more.models ?? {},
      prices: more.prices ?? {},
      // Longer than one cooldown of the failing providers, shorter than two: each is waited for once.
      clocks: { patience_ms: 1_500 },
    },
    // No test reads a line for each request.
    env: { WEIR_LOG_LEVEL: 'error' },
    ...(more.unchecked !== undefined && { unchecked: more.unchecked }),
  });
  const expectedRows: ExpectedRow[] = [];
  const bearer = { authorization: `Bearer ${weir.token}` };
  return {
    weir,
    up(name) {
      const found = started.get(name);
      if (found === undefined) throw new Error(`no provider ${name}`);
      return found;
    },
    post: (path, body, headers) =>
      fetch(weir.url + path, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    form: (path, form, headers) =>
      fetch(weir.url + path, { method: 'POST', headers: { ...bearer, ...headers }, body: form }),
    row: (reply) => usageRowOf(weir, reply.headers.get('x-request-id')),
    expectRow(reply, expected) {
      const test = new Error().stack?.split('\n').find((line) => line.includes('.test.ts')) ?? '';
      expectedRows.push({ test: test.trim(), requestId: reply.headers.get('x-request-id'), expected });
    },
    async expectRows() {
      expect(expectedRows.length).toBeGreaterThan(0);
      await judgeRows(weir, expectedRows.splice(0));
    },
    async remove() {
      try {
        await judgeRows(weir, expectedRows);
      } finally {
        await weir.remove();
        for (const scripted of started.values()) scripted.stop();
      }
    },
  };
}

interface ExpectedRow {
  /** The line that expects it. */
  readonly test: string;
  readonly requestId: string | null;
  readonly expected: Partial<UsageRow>;
}

async function judgeRows(weir: RunningWeir, rows: readonly ExpectedRow[]): Promise<void> {
  for (const { test, requestId, expected } of rows) {
    const row = await usageRowOf(weir, requestId);
    expect({ test, ...row }).toMatchObject({ test, ...expected });
  }
}

/** The reply's JSON where it is a success; what was wrong otherwise. */
export async function treeOf<Shape = Tree>(reply: Response): Promise<Shape> {
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
  return JSON.parse(text) as Shape;
}

/** The error of a refusal with this status. */
export async function errorOf(
  reply: Response,
  status: number,
): Promise<{ readonly code: string; readonly message: string; readonly param: string }> {
  const text = await reply.text();
  if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${text}`);
  return (JSON.parse(text) as { error: { code: string; message: string; param: string } }).error;
}

export function lossesOf(reply: Response): string[] {
  const header = reply.headers.get('x-weir-losses');
  return header === null ? [] : header.split(', ');
}
