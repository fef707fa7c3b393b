/** Sends the demo requests as a client does, and counts the replies by their status. */

import { until } from '../../test/harness/until.ts';
import type { Call } from './calls.ts';
import type { MovableClock } from './clock.ts';
import type { Arrival } from './traffic.ts';

/** Arrivals of so much time are sent together, except those of the last day. */
const togetherMs = 10 * 60_000;
const replyTimeoutMs = 60_000;

interface SenderParts {
  readonly url: string;
  readonly clock: MovableClock;
  /** By the name of the token. */
  readonly secrets: ReadonlyMap<string, string>;
}

export class Sender {
  readonly #parts: SenderParts;
  /** How many replies had which status. */
  readonly statuses = new Map<number, number>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** The clock moves between the groups only: no request is in flight then, so that its times fit together. */
  async sendAll(arrivals: readonly Arrival[], aloneFromMs: number): Promise<void> {
    for (let at = 0; at < arrivals.length; ) {
      const first = arrivals[at];
      if (first === undefined) return;
      const window = first.atMs < aloneFromMs ? togetherMs : 1;
      let end = at + 1;
      while ((arrivals[end]?.atMs ?? Number.POSITIVE_INFINITY) < first.atMs + window) end += 1;
      const group = arrivals.slice(at, end);
      this.#parts.clock.moveTo(first.atMs);
      await Promise.all(group.flatMap(({ token, calls }) => calls.map((call) => this.send(token, call))));
      at = end;
    }
  }

  async send(token: string, { path, body, carrier }: Call): Promise<void> {
    const reply = await this.#fetch(token, path, carrier, { method: 'POST', body: JSON.stringify(body) });
    await reply.arrayBuffer();
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1);
  }

  /** Starts a video task and waits for its end; the clock is not moved meanwhile, because tasks have a deadline. */
  async makeVideo(token: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const order = { method: 'POST', body: JSON.stringify(body) };
    const made = await this.#fetch(token, '/v1/videos', 'authorization', order);
    const text = await made.text();
    const { id } = JSON.parse(text) as { readonly id?: string };
    if (id === undefined) throw new Error(`No video task was made: ${text}`);
    const isOver = async (): Promise<boolean> => {
      const reply = await this.#fetch(token, `/v1/videos/${id}`, 'authorization', {});
      const { status } = (await reply.json()) as { readonly status?: string };
      return status === 'completed' || status === 'failed';
    };
    await until(isOver, 60_000, 'the end of a video task');
  }

  #fetch(token: string, path: string, carrier: Call['carrier'], init: RequestInit): Promise<Response> {
    const secret = this.#parts.secrets.get(token) ?? '';
    const value = carrier === 'authorization' ? `Bearer ${secret}` : secret;
    const headers = { 'content-type': 'application/json', [carrier]: value };
    return fetch(`${this.#parts.url}${path}`, { ...init, headers, signal: AbortSignal.timeout(replyTimeoutMs) });
  }
}
