/** Live conversations of a page in a real browser, by a short-lived credential, and of clients that use the beta. */

import { expect } from 'bun:test';
import { join } from 'node:path';
import OpenAI from 'openai';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, leaveBrowser } from '../harness/browser.ts';
import { settledLedger } from '../harness/ledger-rows.ts';
import { needing } from '../harness/needs.ts';
import { leaveSandboxWeir, sandboxWeir } from '../harness/shared-weir.ts';
import { SocketClient, type SocketEvent } from '../harness/socket-client.ts';
import { createToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import type { RunningWeir } from '../harness/weir.ts';

const { afterAll, beforeAll, describe, test } = needing('chromium');

const browserTimeoutMs = 300_000;
const model = 'sandbox-realtime';
const bundle = join(
  import.meta.dir,
  '../../node_modules/@openai/agents-realtime/dist/bundle/openai-realtime-agents.umd.js',
);
let weir: RunningWeir;

beforeAll(async () => {
  weir = await sandboxWeir();
});
afterAll(async () => {
  await leaveSandboxWeir();
});

const socketUrl = () => `${weir.base.replace(/^http/, 'ws')}/realtime`;

async function secretOf(token: string): Promise<string> {
  const client = new OpenAI({ apiKey: token, baseURL: weir.base });
  const secret = await client.realtime.clientSecrets.create({
    expires_after: { anchor: 'created_at', seconds: 60 },
    session: { type: 'realtime', model, output_modalities: ['text'], instructions: 'Be brief.' },
  });
  expect(secret.value).toStartWith('ek_');
  expect(secret.session).toMatchObject({ type: 'realtime', model, instructions: 'Be brief.' });
  return secret.value;
}

interface ReceivedReply {
  readonly protocol: string;
  readonly types: string[];
  readonly text: string;
}

/** Runs in the page: sends a message and listens until the answer is over. */
function converse({ url, protocols }: { url: string; protocols: string[] }): Promise<ReceivedReply> {
  return new Promise((resolve, reject) => {
    const types: string[] = [];
    let text = '';
    const socket = new WebSocket(url, protocols);
    socket.onerror = () => reject(new Error('no connection'));
    socket.onmessage = ({ data }) => {
      const event = JSON.parse(data) as { type: string; delta?: string };
      types.push(event.type);
      // The credential's own settings come first.
      if (event.type === 'session.updated') {
        const content = [{ type: 'input_text', text: 'Please say the word marzipan.' }];
        const item = { type: 'message', role: 'user', content };
        socket.send(JSON.stringify({ type: 'conversation.item.create', item }));
        socket.send(JSON.stringify({ type: 'response.create' }));
      } else if (event.type === 'response.output_text.delta') text += event.delta ?? '';
      else if (event.type === 'error') reject(new Error(String(data)));
      else if (event.type === 'response.done') {
        socket.close(1000);
        resolve({ protocol: socket.protocol, types, text });
      }
    };
  });
}

interface Bundle {
  readonly RealtimeAgent: new (options: object) => object;
  readonly RealtimeSession: new (
    agent: object,
    options: object,
  ) => {
    connect(options: object): Promise<void>;
    on(name: string, listener: (event: { type: string; delta?: string }) => void): void;
    sendMessage(text: string): void;
    close(): void;
  };
}

/** Runs in the page: the same with the official agent library. */
async function converseByLibrary({ url, apiKey }: { url: string; apiKey: string }): Promise<string> {
  const { RealtimeAgent, RealtimeSession } = (window as unknown as { OpenAIAgentsRealtime: Bundle })
    .OpenAIAgentsRealtime;
  const agent = new RealtimeAgent({ name: 'guide' });
  const options = { transport: 'websocket', model: 'sandbox-realtime', config: { outputModalities: ['text'] } };
  const session = new RealtimeSession(agent, options);
  let text = '';
  const over = new Promise<void>((resolve, reject) => {
    session.on('error', (error) => reject(new Error(JSON.stringify(error))));
    session.on('transport_event', (event) => {
      if (event.type === 'response.output_text.delta') text += event.delta ?? '';
      if (event.type === 'response.done') resolve();
    });
  });
  await session.connect({ apiKey, url });
  session.sendMessage('Please say the word nougat.');
  await over;
  session.close();
  return text;
}

async function inPage<T>(use: (page: Page) => Promise<T>): Promise<T> {
  let browser: Browser | undefined;
  try {
    browser = await launchBrowser();
    const page = await browser.newPage();
    // Any page may use it: only the credential counts, not the page's origin.
    await page.goto(`${weir.url.replace('127.0.0.1', 'localhost')}/healthz`);
    return await use(page);
  } finally {
    await leaveBrowser(browser);
  }
}

test(
  'a page talks by a short-lived credential, with a WebSocket and with the official library',
  async () => {
    const made = await createToken(weir);
    const value = await secretOf(made.token);
    const protocols = ['realtime', `openai-insecure-api-key.${value}`];
    await inPage(async (page) => {
      for (const url of [socketUrl(), `${socketUrl()}?model=${model}`]) {
        const received = await page.evaluate(converse, { url, protocols });
        expect(received.protocol).toBe('realtime');
        expect(received.types[0]).toBe('session.created');
        expect(received.text).toContain('marzipan');
      }
      await expect(
        page.evaluate(converse, { url: `${socketUrl()}?model=other-realtime`, protocols }),
      ).rejects.toThrow();
      await page.addScriptTag({ path: bundle });
      const said = await page.evaluate(converseByLibrary, { url: `${socketUrl()}?model=${model}`, apiKey: value });
      expect(said).toContain('nougat');
    });
    // Each conversation belongs to the token that created the credential.
    let rows: number[] = [];
    const come = async () => {
      const { usage } = await settledLedger(weir);
      // One was refused for its model.
      const own = usage.filter(({ tokenId, code }) => tokenId === made.id && code !== 'model_not_allowed');
      rows = own.map(({ outputTotal = 0 }) => outputTotal);
      return rows.length >= 3;
    };
    await until(come, 60_000, 'three rows');
    expect(rows).toHaveLength(3);
    expect(rows.every((tokens) => tokens > 0)).toBe(true);
    expect(weir.output()).not.toContain(value);
  },
  browserTimeoutMs,
);

describe('the beta', () => {
  async function upTo(socket: SocketClient, type: string): Promise<SocketEvent[]> {
    const seen: SocketEvent[] = [];
    for (;;) {
      const event = await socket.next();
      seen.push(event);
      if (event.type === 'error') throw new Error(JSON.stringify(event));
      if (event.type === type) return seen;
    }
  }

  test.each([
    ['by its header', { headers: { 'openai-beta': 'realtime=v1' } }],
    ['by its sub-protocol', { protocols: ['realtime', 'openai-beta.realtime-v1'] }],
  ])(
    'is used if requested %s: text and audio events have their old names',
    async (_, asked) => {
      const made = await createToken(weir);
      const socket = new SocketClient(`${socketUrl()}?model=${model}`, { token: made.token, ...asked });
      const [created] = await upTo(socket, 'session.created');
      expect(created?.['session']).toMatchObject({ object: 'realtime.session', modalities: ['audio', 'text'] });
      expect(created?.['session']).toMatchObject({ input_audio_format: 'pcm16', output_audio_format: 'pcm16' });
      const say = async (text: string) => {
        const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
        await socket.send({ type: 'conversation.item.create', item });
        await upTo(socket, 'conversation.item.created');
        await socket.send({ type: 'response.create' });
        return upTo(socket, 'response.done');
      };
      await socket.send({ type: 'session.update', session: { modalities: ['text'], voice: 'alloy' } });
      await upTo(socket, 'session.updated');
      const texts = await say('Please say the word marzipan.');
      const words = texts
        .flatMap(({ type, delta }) => (type === 'response.text.delta' ? [String(delta)] : []))
        .join('');
      expect(words).toContain('marzipan');
      await socket.send({ type: 'session.update', session: { modalities: ['text', 'audio'] } });
      await upTo(socket, 'session.updated');
      const audioEvents = await say('Hi');
      const types = new Set(audioEvents.map(({ type }) => type));
      for (const type of ['response.audio.delta', 'response.audio_transcript.delta', 'response.audio.done']) {
        expect(types).toContain(type);
      }
      expect([...types].filter((type) => type.includes('output_audio') || type.includes('output_text'))).toEqual([]);
      socket.close();
      // Both responses are in the ledger: the old names are read there too.
      const used = async () => (await settledLedger(weir)).usage.filter(({ tokenId }) => tokenId === made.id);
      await until(async () => (await used()).length >= 2, 60_000, 'two rows');
      expect((await used()).every(({ outputTotal = 0, estimated }) => outputTotal > 0 && !estimated)).toBe(true);
    },
    20_000,
  );
});
