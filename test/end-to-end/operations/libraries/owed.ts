/**
 * What a suite's calls must have cost, compared with the ledger once: rows are written in groups, and waiting for each
 * would take longer than all the calls.
 */

import { expect } from 'bun:test';
import { readLedger, type UsageRow } from '../../../harness/ledger-rows.ts';
import { until } from '../../../harness/until.ts';
import type { RunningWeir } from '../../../harness/weir.ts';

export class Owed {
  readonly #nanoByRequest = new Map<string, bigint>();

  add(reply: Response | Readonly<Record<string, string>> | undefined, costNano: bigint): void {
    const id = reply instanceof Response ? reply.headers.get('x-request-id') : reply?.['x-request-id'];
    if (typeof id !== 'string') throw new Error('a reply without its request id');
    this.#nanoByRequest.set(id, costNano);
  }

  async check(weir: RunningWeir): Promise<void> {
    expect(this.#nanoByRequest.size).toBeGreaterThan(0);
    let rows = new Map<string, UsageRow>();
    const written = async () => {
      rows = new Map((await readLedger(weir)).usage.map((row) => [row.requestId, row]));
      return [...this.#nanoByRequest.keys()].every((id) => rows.has(id));
    };
    await until(written, 60_000, 'the usage rows of all calls');
    const booked = [...this.#nanoByRequest.keys()].map((id) => {
      const row = rows.get(id);
      return [id, row?.costNano, row?.estimated];
    });
    expect(booked).toEqual([...this.#nanoByRequest].map(([id, costNano]) => [id, costNano, false]));
  }
}
