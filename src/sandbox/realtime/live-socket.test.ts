/** Live conversations as connections: order, back-pressure in both directions, and every kind of end. */

import { describe, expect, test } from 'bun:test';
import { hummingVoice } from '../../../test/harness/live-sandbox.ts';
import { until } from '../../../test/harness/until.ts';
import {
  type SocketListener,
  SocketRefusedError,
  type SocketRequest,
  type UpstreamSocket,
} from '../../upstream/socket-transport.ts';
import { createSandbox } from '../transport/transport.ts';
import type { Voice } from './answer.ts';
import { clientMessageBytesMax, LiveSocket, type SocketWriter } from './live-socket.ts';
import { openSession } from './open-session.ts';

const address = 'sandbox://local/v1/realtime?model=sandbox-realtime';

class Listening implements SocketListener {
  readonly messages: string[] = [];
  readonly ends: [number, string][] = [];
  drains = 0;
  onMessage: (text: string) => void = () => undefined;

  message(message: string | Uint8Array): void {
    if (this.ends.length > 0) throw new Error('sent after the end');
    this.messages.push(String(message));
    this.onMessage(String(message));
  }

  drained(): void {
    this.drains++;
  }

  closed(code: number, reason: string): void {
    this.ends.push([code, reason]);
  }

  get types(): string[] {
    return this.messages.map((text) => JSON.parse(text).type);
  }
}

function requestFor(changes: Partial<SocketRequest> = {}): SocketRequest {
  const signal = new AbortController().signal;
  return { url: address, headers: {}, protocols: [], messageBytesMax: 1_000_000, signal, ...changes };
}

let ids = 0;
const options = {
  paceMs: 0,
  speechTimesRealTime: 0,
  nowMs: () => 0,
  newId: () => String(++ids),
  wait: async (ms: number) => Bun.sleep(ms),
  voice: hummingVoice,
};

function open(changes: Partial<SocketRequest> = {}): { readonly socket: UpstreamSocket; readonly sent: Listening } {
  const sent = new Listening();
  return { socket: openSession(requestFor(changes), sent, options), sent };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await turn();
};
const retrieve = (id: string): string => JSON.stringify({ type: 'conversation.item.retrieve', item_id: id });

describe('opening', () => {
  const { sockets } = createSandbox(options);

  test.each([
    address,
    'ws://x/v1/realtime?model=sandbox-realtime',
    'wss://x/realtime?a=b&model=sandbox-realtime',
  ])('%s', async (url) => {
    const sent = new Listening();
    const socket = await sockets(requestFor({ url, protocols: ['realtime', 'other'] }), sent);
    expect(socket.protocol).toBe('realtime');
    await turns(2);
    expect(sent.messages).toEqual([]);
    socket.resume();
    await turn();
    expect(sent.types).toEqual(['session.created', 'conversation.created']);
    expect(JSON.parse(sent.messages[0] ?? '').session.model).toBe('sandbox-realtime');
    socket.terminate();
  });

  test.each([
    ['sandbox://local/v1/realtime', 'model_not_found'],
    ['sandbox://local/v1/realtime?model=sandbox-chat', 'model_not_found'],
    ['sandbox://local/v1/elsewhere?model=sandbox-realtime', 'not_found'],
    ['http://x/v1/realtime?model=sandbox-realtime', 'not_found'],
    ['nowhere', 'not_found'],
  ])('%s is refused', async (url, code) => {
    const refusal = await sockets(requestFor({ url }), new Listening()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SocketRefusedError);
    const { status, body } = refusal as SocketRefusedError;
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ error: { type: 'invalid_request_error', code } });
  });

  test('not for a client that disconnected', async () => {
    const signal = AbortSignal.abort(new Error('left'));
    await expect(sockets(requestFor({ signal }), new Listening())).rejects.toThrow('left');
  });

  test('the beta by its header or its sub-protocol, transcription by the address', async () => {
    const first = async (changes: Partial<SocketRequest>) => {
      const { socket, sent } = open(changes);
      socket.resume();
      await turn();
      socket.terminate();
      return JSON.parse(sent.messages[0] ?? '');
    };
    expect((await first({ headers: { 'openai-beta': 'a=b, realtime=v1' } })).session.voice).toBe('alloy');
    expect((await first({ protocols: ['openai-beta.realtime-v1'] })).session.voice).toBe('alloy');
    expect((await first({ url: `${address}&intent=transcription` })).session.type).toBe('transcription');
    expect((await first({})).session.type).toBe('realtime');
  });
});

describe('order', () => {
  test('what is sent is answered in turn, and never from inside the call', async () => {
    const { socket, sent } = open();
    socket.resume();
    await turn();
    const count = sent.messages.length;
    for (let index = 0; index < 500; index++) socket.send(retrieve(`i${index}`));
    expect(sent.messages).toHaveLength(count);
    expect(socket.bufferedBytes).toBeGreaterThan(0);
    await until(() => sent.drains > 0);
    const answered = sent.messages.slice(count).map((text) => /'(i\d+)'/.exec(text)?.[1]);
    expect(answered).toEqual(Array.from({ length: 500 }, (_, index) => `i${index}`));
    expect(socket.bufferedBytes).toBe(0);
    socket.terminate();
  });

  test('a whole conversation, spoken', async () => {
    const { socket, sent } = open();
    socket.resume();
    const content = [{ type: 'input_text', text: 'what is 6*7?' }];
    socket.send(JSON.stringify({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } }));
    socket.send(JSON.stringify({ type: 'response.create' }));
    await until(() => sent.types.at(-1) === 'response.done');
    expect(sent.types.filter((type) => type === 'response.output_audio.delta').length).toBeGreaterThan(5);
    socket.terminate();
  });
});

describe('back-pressure', () => {
  test('a paused connection is sent nothing, and a response waits for it', async () => {
    let sentences = 0;
    const say: Voice['say'] = (...given) => {
      sentences++;
      return hummingVoice.say(...given);
    };
    const sent = new Listening();
    const socket = openSession(requestFor(), sent, { ...options, voice: { say } });
    let deltas = 0;
    sent.onMessage = (text) => {
      if (text.includes('output_audio.delta') && ++deltas === 3) socket.pause();
    };
    socket.resume();
    socket.send(JSON.stringify({ type: 'response.create' }));
    await until(() => deltas === 3);
    const count = sent.messages.length;
    await turns(20);
    expect(sent.messages).toHaveLength(count);
    expect(sentences).toBe(1);
    socket.resume();
    await until(() => sent.types.at(-1) === 'response.done');
    expect(sentences).toBeGreaterThan(1);
    socket.terminate();
  });

  test('a client that does not read is not read forever', async () => {
    const { socket, sent } = open();
    const instructions = 'x'.repeat(100_000);
    for (let index = 0; index < 50; index++) {
      socket.send(JSON.stringify({ type: 'session.update', session: { type: 'realtime', instructions } }));
    }
    await turns(50);
    expect(sent.messages).toEqual([]);
    expect(socket.bufferedBytes).toBeGreaterThan(3_000_000);
    socket.resume();
    await until(() => sent.types.filter((type) => type === 'session.updated').length === 50);
    expect(socket.bufferedBytes).toBe(0);
    socket.terminate();
  });
});

describe('the end', () => {
  test('as the caller says it, once, and nothing after it', async () => {
    const { socket, sent } = open();
    socket.resume();
    socket.send(JSON.stringify({ type: 'response.create' }));
    await until(() => sent.types.includes('response.created'));
    socket.close(4_000, 'enough');
    expect(sent.ends).toEqual([]);
    socket.send(retrieve('x'));
    socket.close(1_000, 'again');
    socket.terminate();
    const count = sent.messages.length;
    await turns(5);
    expect(sent.ends).toEqual([[4_000, 'enough']]);
    expect(sent.messages).toHaveLength(count);
    expect(socket.bufferedBytes).toBe(0);
  });

  test('without a word', async () => {
    const { socket, sent } = open();
    socket.terminate();
    await turn();
    expect(sent.ends).toEqual([[1_006, '']]);
    expect(sent.messages).toEqual([]);
  });

  test('a message that is too large, either way', async () => {
    const taken = open();
    taken.socket.resume();
    taken.socket.send('x'.repeat(clientMessageBytesMax + 1));
    await turn();
    expect(taken.sent.ends.map(([code]) => code)).toEqual([1_009]);

    const given = open({ messageBytesMax: 2_000 });
    given.socket.resume();
    await turn();
    const session = { type: 'realtime', instructions: 'x'.repeat(2_000) };
    given.socket.send(JSON.stringify({ type: 'session.update', session }));
    await until(() => given.sent.ends.length > 0);
    expect(given.sent.ends.map(([code]) => code)).toEqual([1_009]);
    expect(given.sent.types).toEqual(['session.created', 'conversation.created']);
  });

  test('of its own accord it waits until a client is connected, and comes after all that was sent', async () => {
    const sent = new Listening();
    let writer: SocketWriter | undefined;
    const socket = new LiveSocket({
      protocol: '',
      listener: sent,
      messageBytesMax: 1_000,
      open: (given) => {
        writer = given;
        return { begin: () => given.write('"hello"'), receive: function* () {}, stop: () => undefined };
      },
    });
    writer?.fail(new Error('a fault of ours'));
    await turn();
    expect(sent.ends).toEqual([]);
    socket.resume();
    await turn();
    expect(sent.messages).toEqual(['"hello"']);
    expect(sent.ends).toEqual([[1_011, 'The sandbox failed: Error: a fault of ours']]);
  });
});
