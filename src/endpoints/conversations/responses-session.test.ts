/** The life of one connection, with a scripted relay: its age, its shutdown, its slow reader. */

import { describe, expect, test } from 'bun:test';
import { scriptedBodies } from '../../../test/harness/scripted-bodies.ts';
import { until } from '../../../test/harness/until.ts';
import type { Caller } from '../../access/caller.ts';
import { openAdmission } from '../../access/limits.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Socket } from '../../http/websocket/socket-handler.ts';
import type { ConversationRequest } from '../../relay/admission/conversation-request.ts';
import type { RefusedRequest } from '../../relay/refusals/refusals.ts';
import { ResponsesSession } from './responses-session.ts';

const ended = 'data: {"type":"response.completed","response":{"id":"resp_1"}}\n\n';

interface Given {
  readonly lifetimeMs?: number;
  readonly refusal?: GatewayError;
  readonly reply?: () => Response;
  readonly bodyBytesMax?: number;
  readonly denies?: boolean;
}

function make(given: Given = {}) {
  const counted: string[] = [];
  const left: (number | undefined)[] = [];
  const sent: { type: string; error?: { code: string } }[] = [];
  const closes: number[] = [];
  const handled: ConversationRequest[] = [];
  const recorded: RefusedRequest[] = [];
  let buffered = 0;
  const socket: Socket = {
    send: (text) => sent.push(JSON.parse(text)) > 0,
    get bufferedBytes() {
      return buffered;
    },
    close: (code) => {
      closes.push(code);
      session.closed();
    },
    terminate: () => {
      closes.push(-1);
      session.closed();
    },
    refusal: () => given.refusal,
  };
  const session = new ResponsesSession(
    {
      admit: (_head, rule) => {
        counted.push(rule.counted);
        if (given.denies === true) throw new GatewayError('rate_limited', 'Wait.');
        const leave = (tokens?: number): void => void left.push(tokens);
        return { caller: { tokenId: 't' } as Caller, admission: { ...openAdmission, leave } };
      },
      relay: {
        handle: async (request) => {
          handled.push(request);
          return given.reply?.() ?? new Response(ended);
        },
      },
      report: () => undefined,
      bodies: scriptedBodies(),
      bodyBytesMax: given.bodyBytesMax ?? 1_000,
      eventBytesMax: 1_000,
      clocks: { clientStallTimeoutMs: 50 },
      budget: { freeBytes: 1_000 },
      newRequestId: () => `req_${handled.length}`,
      nowMs: () => 0,
      tokens: { watch: () => () => undefined },
      refusals: { record: (refused) => recorded.push(refused) },
      ...(given.lifetimeMs === undefined ? {} : { lifetimeMs: given.lifetimeMs }),
    },
    { request: { headers: new Headers() }, query: '', address: () => '' },
    { caller: { tokenId: 't' } as Caller, openedAtMs: 0 },
  );
  session.open(socket);
  const setBuffered = (bytes: number): void => {
    buffered = bytes;
  };
  return { session, sent, closes, handled, recorded, setBuffered, counted, left };
}

const create = JSON.stringify({ type: 'response.create', model: 'm', input: 'x', generate: true });
const come = (list: readonly unknown[], count: number) =>
  until(async () => list.length >= count, 60_000, `${count} of them`);

test('a request goes to the relay as a stream, without what belongs to the socket', async () => {
  const { session, sent, handled } = make();
  session.message(create);
  await come(sent, 1);
  expect(handled[0]?.body.tree).toEqual({ model: 'm', input: 'x', stream: true });
  expect(handled[0]?.warmUp).toBe(false);
  expect(sent.map(({ type }) => type)).toEqual(['response.completed']);
  session.closed();
});

test('a request that does not reach the relay is recorded here, once; the relay records the others', async () => {
  const denied = make({ denies: true });
  denied.session.message(create);
  await come(denied.sent, 1);
  denied.session.message('{"type":"response.create","model":7');
  await come(denied.sent, 2);
  expect(denied.recorded.map(({ tokenId, endpoint, model }) => [tokenId, endpoint, model])).toEqual([
    ['t', 'responses', 'm'],
    ['t', 'responses', ''],
  ]);
  const failing = make({
    reply: () => {
      throw new GatewayError('model_not_found', 'No.');
    },
  });
  failing.session.message(create);
  await come(failing.sent, 1);
  expect(failing.recorded).toEqual([]);
  denied.session.closed();
  failing.session.closed();
});

test('a connection that is old says so and closes, but not while something runs', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = new ReadableStream({
    async start(controller) {
      await promise;
      controller.enqueue(new TextEncoder().encode(ended));
      controller.close();
    },
  });
  const { session, sent, closes, handled } = make({ lifetimeMs: 1, reply: () => new Response(slow) });
  session.message(create);
  await come(handled, 1);
  // Its time is up long before the reply is.
  const { promise: later, resolve: wake } = Promise.withResolvers<void>();
  setTimeout(wake, 30);
  await later;
  expect(closes).toEqual([]);
  resolve();
  await come(closes, 1);
  expect(sent.map(({ type, error }) => error?.code ?? type)).toEqual([
    'response.completed',
    'websocket_connection_limit_reached',
  ]);
  expect(closes).toEqual([1000]);
});

test('a shutdown closes an idle connection with 1001', () => {
  const { session, closes } = make();
  session.drain();
  expect(closes).toEqual([1001]);
});

test('Weir waits for a slow client, and disconnects it in the end', async () => {
  const events = `${'data: {"type":"x"}\n\n'.repeat(3)}${ended}`;
  const patient = make({ reply: () => new Response(events) });
  patient.setBuffered(2_000_000);
  patient.session.message(create);
  await come(patient.sent, 1);
  patient.setBuffered(0);
  patient.session.drained();
  await come(patient.sent, 4);
  patient.session.closed();
  const stalled = make({ reply: () => new Response(events) });
  stalled.setBuffered(2_000_000);
  stalled.session.message(create);
  await come(stalled.closes, 1);
  expect(stalled.closes).toEqual([-1]);
  expect(stalled.sent).toHaveLength(1);
});

describe('large messages', () => {
  const input = 'x'.repeat(200_000);
  const large = JSON.stringify({ type: 'response.create', model: 'm', input, generate: true });

  test('are counted before they are read, and once', async () => {
    const { session, sent, handled, counted } = make({ bodyBytesMax: 1_000_000 });
    session.message(large);
    session.message(create);
    await come(sent, 2);
    expect(handled.map(({ body }) => String(body.tree['input']).length)).toEqual([200_000, 1]);
    expect(handled[0]?.body.tree).toEqual({ model: 'm', input, stream: true });
    // The first was counted, and its token checked again when it was next.
    expect(counted.toSorted()).toEqual(['elsewhere', 'requests', 'requests']);
    session.closed();
  });

  test('a request inside a frame is read from its own bytes', async () => {
    const { session, handled } = make({ bodyBytesMax: 1_000_000 });
    session.message(JSON.stringify({ type: 'response.create', response: { model: 'm', input, background: false } }));
    await come(handled, 1);
    expect(handled[0]?.body.tree).toEqual({ model: 'm', input, stream: true });
    session.closed();
  });

  test('where the token may send no more, nothing is read', async () => {
    const { session, sent, handled } = make({ bodyBytesMax: 1_000_000, denies: true });
    session.message(`${large.slice(0, -1)} this is no JSON`);
    await come(sent, 1);
    expect([sent[0]?.error?.code, handled.length]).toEqual(['rate_limited', 0]);
    session.closed();
  });

  test('an invalid or unreadable request frees its slot', async () => {
    const { session, sent, left } = make({ bodyBytesMax: 1_000_000 });
    session.message(large.slice(0, -1));
    session.message(JSON.stringify({ type: 'response.steer', input }));
    await come(sent, 2);
    expect(left).toEqual([0, 0]);
    session.closed();
  });

  test('no more of them wait than one body may be large', async () => {
    const { session, sent } = make({ bodyBytesMax: 300_000 });
    session.message(large);
    session.message(large);
    await come(sent, 2);
    expect(sent[0]?.error?.code).toBe('concurrency_limited');
    session.closed();
  });
});
