/**
 * Random requests of clients against the HTTP server: whatever the bytes are, it answers no request that a strict reader
 * does not find at that place, with that body. WEIR_FUZZ_EXCHANGES says how many, WEIR_FUZZ_SEED repeats a run.
 */

import { afterEach, expect, test } from 'bun:test';
import { type Reply, WholeReply } from '../../../src/http/reply.ts';
import type { IncomingRequest } from '../../../src/http/server/incoming-request.ts';
import { refusal, startHttpServer } from '../../harness/http-server.ts';
import { Random } from '../../harness/random.ts';
import { RawClient } from '../../harness/raw-client.ts';
import { isFullSize, sized } from '../../harness/size.ts';
import { cut, mutate, randomRequest } from './request-mutations.ts';
import { type Found, findRequests } from './request-oracle.ts';

const exchanges = Number(process.env['WEIR_FUZZ_EXCHANGES'] ?? sized(1_000, 20_000));
const seed = Number(process.env['WEIR_FUZZ_SEED'] ?? (isFullSize ? Date.now() % 1_000_000 : 261_119));
const lanes = 8;

const opened: (() => void)[] = [];
afterEach(() => {
  for (const stop of opened.splice(0)) stop();
});

interface Tally {
  exchanges: number;
  /** Requests that were answered, and connections of mutated ones that the server refused. */
  answered: number;
  refused: number;
  readonly wrong: string[];
}

/** A server for one connection after the other, which notes what it answers. */
function startLane(random: Random) {
  let answered: string[] = [];
  const note = (request: IncomingRequest, body: string | null): Reply => {
    const text = JSON.stringify([request.method, request.head.target, body]);
    answered.push(text);
    return new WholeReply(text, {});
  };
  const handle = async (request: IncomingRequest): Promise<Reply> => {
    if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
    if (request.head.target.includes('unread')) return note(request, null);
    try {
      if (random.chance()) return note(request, Buffer.from(await request.bytes()).toString('latin1'));
      let body = '';
      for await (const piece of request) body += Buffer.from(piece).toString('latin1');
      return note(request, body);
    } catch (error) {
      return refusal(error as Error);
    }
  };
  const started = startHttpServer(handle);
  opened.push(started.stop);
  return {
    ...started,
    takeAnswered(): string[] {
      const all = answered;
      answered = [];
      return all;
    },
  };
}

type Lane = ReturnType<typeof startLane>;

const isUnread = ({ target }: { readonly target: string }): boolean => target.includes('unread');

/** What the server may answer, in order: each request that was found, and one that needs no body. */
function answersTo({ requests, begun }: Found): string[] {
  const whole = requests.map((each) => JSON.stringify([each.method, each.target, isUnread(each) ? null : each.body]));
  if (begun !== undefined && isUnread(begun)) whole.push(JSON.stringify([begun.method, begun.target, null]));
  return whole;
}

/** What is wrong, if anything. */
async function exchange(lane: Lane, text: string, random: Random, tally: Tally): Promise<string | undefined> {
  const found = findRequests(text);
  const methods = [...found.requests, ...(found.begun === undefined ? [] : [found.begun])].map(({ method }) => method);
  const client = await RawClient.open(lane.port);
  const finals = () => client.replies(methods).filter(({ status }) => status >= 200);
  const served = () => finals().filter(({ status }) => status === 200).length;
  try {
    await client.sendApart(cut(text, random));
    const mustClose = found.ending === 'malformed' || found.ending === 'closing';
    await client.when(
      () => client.isClosed || (!mustClose && served() >= found.requests.length),
      `the answer to ${found.requests.length} requests, then ${found.ending}`,
    );
    const isRefused = client.isClosed && found.ending !== 'closing';
    if (isRefused) tally.refused += 1;
    const replies = finals();
    const read = replies.filter(({ status }) => status === 200);
    client.leave();
    // Everything that the client sent before has been read then.
    await lane.server.ended();
    const answered = lane.takeAnswered();
    tally.answered += answered.length;
    const allowed = answersTo(found);
    if (answered.some((each, at) => each !== allowed[at]))
      return `answered ${answered.join(' ')}, not ${allowed.join(' ')}`;
    if (!isRefused && answered.length < found.requests.length) return `answered only ${answered.length} requests`;
    if (read.length < replies.length && replies.findIndex(({ status }) => status !== 200) < replies.length - 1)
      return 'answered a request behind a refused one';
    const bodies = read.map(({ body }, at) =>
      methods[at] === 'HEAD' ? answered[at] : Buffer.from(body, 'latin1').toString(),
    );
    return bodies.some((body, at) => body !== answered[at]) ? `sent ${bodies.join(' ')}` : undefined;
  } finally {
    client.leave();
  }
}

async function isClean(lane: Lane): Promise<boolean> {
  const client = await RawClient.open(lane.port);
  client.send('POST /clean HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\nok');
  const [reply] = await client.replied();
  client.leave();
  await lane.server.ended();
  lane.takeAnswered();
  return reply?.body === '["POST","/clean","ok"]';
}

async function run(makeText: (random: Random) => string, random: Random): Promise<Tally> {
  const tally: Tally = { exchanges: 0, answered: 0, refused: 0, wrong: [] };
  const work = async (own: Random): Promise<void> => {
    const lane = startLane(own);
    while (tally.exchanges < exchanges && tally.wrong.length === 0) {
      tally.exchanges += 1;
      const text = makeText(own);
      const wrong = await exchange(lane, text, own, tally).catch((error: unknown) => String(error));
      if (wrong !== undefined) tally.wrong.push(`${wrong}; sent: ${JSON.stringify(text.slice(0, 5_000))}`);
    }
    if (!(await isClean(lane))) tally.wrong.push('a clean request was not answered');
    tally.wrong.push(...lane.reported.map((error) => `reported: ${error}`));
  };
  await Promise.all(Array.from({ length: lanes }, () => work(new Random(random.int(0, 2 ** 31 - 1)))));
  return tally;
}

const pipeline = (random: Random) => random.list(1, 6, (index) => randomRequest(random, index));
const timeoutMs = 300_000 + exchanges * 50;

test('the strict reader finds the requests that were written', () => {
  const random = new Random(seed);
  for (let count = 0; count < exchanges; count += 1) {
    const sent = pipeline(random);
    const { requests, ending } = findRequests(sent.map(({ bytes }) => bytes).join(''));
    expect(ending).toBe('nothing');
    expect([...requests]).toEqual(sent.map(({ method, target, body }) => ({ method, target, body })));
  }
});

test(
  `${exchanges} pipelines, seed ${seed}: every request is answered, in order`,
  async () => {
    const tally = await run(
      (random) =>
        pipeline(random)
          .map(({ bytes }) => bytes)
          .join(random.pick(['', '', '\r\n'])),
      new Random(seed),
    );
    expect(tally.wrong).toEqual([]);
    expect(tally.refused).toBe(0);
    expect(tally.answered).toBeGreaterThan(exchanges * 2);
  },
  timeoutMs,
);

test(
  `${exchanges} mutated pipelines, seed ${seed}: nothing else is answered`,
  async () => {
    const tally = await run(
      (random) =>
        mutate(
          pipeline(random)
            .map(({ bytes }) => bytes)
            .join(''),
          random,
        ),
      new Random(seed + 1),
    );
    expect(tally.wrong).toEqual([]);
    // A server that refused all, or none, would prove nothing.
    expect(tally.refused).toBeGreaterThan(exchanges / 4);
    expect(tally.answered).toBeGreaterThan(exchanges / 2);
  },
  timeoutMs,
);
