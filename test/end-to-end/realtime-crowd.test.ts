/**
 * Many live conversations at once: no frame is lost, out of order or in another conversation, and every response is
 * charged as invoiced. `npm test` runs a small crowd; `npm run soak` sets WEIR_CROWD_SECONDS and WEIR_CROWD_SOCKETS, and
 * then memory is checked too.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { CrowdEvent, CrowdFrame, CrowdInvoice } from '../fake-upstream/realtime/crowd.ts';
import { expectBalanced, settledLedger } from '../harness/ledger-rows.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { memoryBytes, type RunningWeir, startWeir } from '../harness/weir.ts';

const seconds = Number(process.env['WEIR_CROWD_SECONDS'] ?? 3);
const isLongRun = process.env['WEIR_CROWD_SECONDS'] !== undefined;
const socketsCount = Number(process.env['WEIR_CROWD_SOCKETS'] ?? 100);
const frameEveryMs = 100;
/** One turn in so many requests a response, and one in so many sends a text after its audio. */
const responseEvery = 20;
const textEvery = 4;
const warmUpSeconds = Math.min(10, seconds / 3);
const growthBytesMax = 30_000_000;
const growthShareMax = 0.15;
const audioFrame = 'A'.repeat(1_068);
const testTimeoutMs = (seconds + 180) * 1_000;
let provider: { readonly base: string; invoice(): Promise<CrowdInvoice>; stop(): Promise<void> };
let weir: RunningWeir;

beforeAll(async () => {
  provider = await startCrowdProvider();
  weir = await startWeir({
    yaml: {
      providers: { crowd: { kind: 'openai', base_url: provider.base, key: 'sk-crowd', models: ['crowd-realtime'] } },
      prices: { 'crowd-realtime': { input: 2, output: 8 } },
    },
  });
}, 300_000);
afterAll(async () => {
  await weir?.remove();
  await provider?.stop();
});

async function startCrowdProvider(): Promise<typeof provider> {
  const program = join(import.meta.dir, '../fake-upstream/realtime/crowd.ts');
  const child = Bun.spawn([process.execPath, program, `${frameEveryMs}`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const first = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(first.value));
  if (!(port > 0)) throw new Error('the scripted provider did not start');
  const url = `http://127.0.0.1:${port}`;
  return {
    base: `${url}/v1`,
    invoice: async () => (await (await fetch(`${url}/invoice`)).json()) as CrowdInvoice,
    async stop() {
      child.stdin.end();
      await child.exited;
    },
  };
}

class Talker {
  readonly nonce = crypto.randomUUID();
  readonly faults: string[] = [];
  sent = 0;
  received = 0;
  tally: number | undefined;
  closed: number | undefined;
  #connection = '';
  #turns = 0;
  readonly #socket: WebSocket;
  readonly opened: Promise<void>;

  constructor(url: string, token: string) {
    const options = { headers: { authorization: `Bearer ${token}` } };
    this.#socket = new WebSocket(url, options as unknown as string[]);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    this.#socket.onopen = () => resolve();
    this.#socket.onclose = ({ code, reason }) => {
      this.closed = code;
      reject(new Error(`closed with ${code} ${reason}`));
    };
    this.#socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as CrowdEvent);
  }

  #receive(event: CrowdEvent): void {
    if (this.#connection === '') this.#connection = event.connection;
    else if (event.connection !== this.#connection) this.faults.push(`an event of ${event.connection}`);
    if (event.nonce !== '' && event.nonce !== this.nonce) this.faults.push(`an event for ${event.nonce}`);
    if (event.n !== this.received) this.faults.push(`${event.type} ${event.n} instead of ${this.received}`);
    this.received++;
    if (event.type === 'tally') this.tally = event.received;
  }

  say(): void {
    if (this.closed !== undefined) return;
    const turn = this.#turns++;
    if (turn % responseEvery === responseEvery - 1) {
      this.#send('response.create', {});
      return;
    }
    // After a response the first audio waits for the row of the next: later frames may not overtake it.
    this.#send('input_audio_buffer.append', { audio: audioFrame });
    if (turn % textEvery === 0) this.#send('conversation.item.create', { item: { text: `é ${turn}` } });
  }

  end(): void {
    this.#send('conversation.item.create', { last: true });
  }

  close(): void {
    this.#socket.close(1000);
  }

  #send(type: string, fields: object): void {
    const frame: CrowdFrame = { type, nonce: this.nonce, n: this.sent++, ...fields };
    this.#socket.send(JSON.stringify(frame));
  }
}

/** The CPU time of the process, user and system, from the kernel's count in hundredths of a second. */
async function processorMs(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text();
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function openAll(token: string): Promise<Talker[]> {
  const url = `${weir.base.replace(/^http/, 'ws')}/realtime?model=crowd-realtime`;
  const talkers: Talker[] = [];
  while (talkers.length < socketsCount) {
    const some = Array.from({ length: Math.min(50, socketsCount - talkers.length) }, () => new Talker(url, token));
    talkers.push(...some);
    await Promise.all(some.map(({ opened }) => opened));
  }
  return talkers;
}

/** Each sends a frame about every tenth of a second, at different moments; the number of frames is fixed. */
async function talkAll(talkers: readonly Talker[]): Promise<number[]> {
  const samples: number[] = [];
  const slices = 10;
  const startedAtMs = performance.now();
  const turns = (seconds * 1_000 * slices) / frameEveryMs;
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, talker] of talkers.entries()) if (index % slices === turn % slices) talker.say();
    const elapsedMs = performance.now() - startedAtMs;
    if (elapsedMs > (samples.length + 1) * 250) samples.push(await memoryBytes(weir.pid));
    const dueMs = ((turn + 1) * frameEveryMs) / slices;
    await Bun.sleep(Math.max(0, dueMs - (performance.now() - startedAtMs)));
  }
  return samples;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
/** Ten numbers that show whether it grows. */
const courseOf = (samples: readonly number[]): string =>
  Array.from({ length: 10 }, (_, tenth) => {
    const part = samples.slice((samples.length * tenth) / 10, (samples.length * (tenth + 1)) / 10);
    return Math.round(median(part) / 1e6);
  }).join(' ');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

test(
  `${socketsCount} sockets for ${seconds} s`,
  async () => {
    const made = await createToken(weir, '--budget-usd', '100000');
    const idleBytes = await memoryBytes(weir.pid);
    const talkers = await openAll(made.token);
    const usedMs = await processorMs(weir.pid);
    const samples = await talkAll(talkers);
    const spentMs = (await processorMs(weir.pid)) - usedMs;
    for (const talker of talkers) talker.end();
    await until(() => talkers.every(({ tally }) => tally !== undefined), 60_000, 'the last frame of everyone');

    expect(talkers.flatMap(({ faults }) => faults).slice(0, 20)).toEqual([]);
    expect(talkers.filter(({ closed }) => closed !== undefined)).toEqual([]);
    for (const { tally, sent } of talkers) expect(tally).toBe(sent);
    const invoice = await provider.invoice();
    const sum = (of: (talker: Talker) => number) => talkers.reduce((total, talker) => total + of(talker), 0);
    expect(invoice).toMatchObject({
      connections: socketsCount,
      faults: [],
      framesReceived: sum(({ sent }) => sent),
      framesSent: sum(({ received }) => received),
    });
    for (const talker of talkers) talker.close();

    const warm = Math.round(warmUpSeconds * 4);
    const third = Math.max(3, Math.floor((samples.length - warm) / 3));
    const before = median(samples.slice(warm, warm + third));
    const after = median(samples.slice(-third));
    const frames = invoice.framesReceived + invoice.framesSent;
    console.log(
      `${socketsCount} sockets, ${seconds} s: ${frames} frames, ${invoice.responses.length} responses; ` +
        `memory ${megabytes(idleBytes)} idle, ${megabytes(before)} after warm-up, ${megabytes(after)} at the end, ` +
        `${megabytes(Math.max(...samples))} at most (${courseOf(samples)}); ${(spentMs / seconds / 10).toFixed(0)} % of one processor, ` +
        `${((spentMs * 1_000) / frames).toFixed(0)} µs a frame`,
    );
    if (isLongRun) expect(after - before).toBeLessThan(Math.max(growthBytesMax, growthShareMax * before));

    const charged = async () => (await settledLedger(weir)).usage.filter(({ tokenId }) => tokenId === made.id);
    await until(async () => (await charged()).length >= invoice.responses.length, 60_000, 'the last row');
    const rows = await charged();
    const shown = (of: { inputTokens: number; outputTokens: number }) => `${of.inputTokens}+${of.outputTokens}`;
    const rowsShown = rows.map(({ inputTotal = -1, outputTotal = -1 }) =>
      shown({ inputTokens: inputTotal, outputTokens: outputTotal }),
    );
    expect(rowsShown.toSorted()).toEqual(invoice.responses.map(shown).toSorted());
    expect(rows.filter(({ status, estimated }) => status !== 200 || estimated)).toEqual([]);
    expectBalanced(await settledLedger(weir));
  },
  testTimeoutMs,
);
