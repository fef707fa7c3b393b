/** Clients that do not read, or vanish: their connections and their providers' end after one stall timeout, or four. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { scripted } from '../harness/chat.ts';
import {
  chatDelta,
  type HeldRequest,
  type HoldingUpstream,
  startHoldingUpstream,
  writtenStream,
} from '../harness/holding-upstream.ts';
import { readLedger } from '../harness/ledger-rows.ts';
import { chatHead } from '../harness/raw-request.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const stallTimeoutMs = 2_000;
let upstream: RunningUpstream;
let holding: HoldingUpstream;
let weir: RunningWeir;
beforeAll(async () => {
  upstream = await startUpstream();
  holding = startHoldingUpstream();
  weir = await startWeir({
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-upstream', models: ['gpt-4.1'] },
        holding: { kind: 'openai-chat', base_url: holding.base, key: 'sk-holding', models: ['held'] },
      },
      clocks: { client_stall_timeout_ms: stallTimeoutMs, keep_alive_ms: 500, head_hold_ms: 0, read_on_ms: 0 },
    },
  });
});
afterAll(async () => {
  await weir?.remove();
  await holding?.stop();
  await upstream?.stop();
});

function opened(localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(weir.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Whether Weir's port has an open connection from the client's port. */
async function isOpen({ localPort }: Socket): Promise<boolean> {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  const [own, other] = [hex(Number(new URL(weir.url).port)), hex(localPort ?? 0)];
  const lines = (await Bun.file('/proc/net/tcp').text()).split('\n');
  return lines.some((line) => new RegExp(`^ *\\d+: \\S+:${own} \\S+:${other} 01 `).test(line));
}

test('a client that does not read is disconnected, not only from its provider', async () => {
  const socket = await opened();
  socket.pause();
  socket.on('error', () => undefined);
  const script = { nonce: 'deaf', deltas: 10_000, deltaBytes: 20_000 };
  socket.write(chatHead(weir, JSON.stringify(scripted(script, { stream: true }))));
  await until(async () =>
    (await upstream.invoice()).some(({ nonce, outcome }) => nonce === 'deaf' && outcome === 'left'),
  );
  await until(async () => !(await isOpen(socket)), 60_000, 'the end of its connection');
  socket.destroy();
});

const address = `127.66.${1 + (process.pid % 250)}.${1 + Math.floor(Math.random() * 250)}`;
const route = (change: string) =>
  Bun.spawnSync(['ip', 'route', change, 'blackhole', `${address}/32`, 'table', 'local'], { stderr: 'ignore' });
/** Only root can drop packets to an address. */
const canVanish = Bun.which('ip') !== null && route('add').exitCode === 0 && route('del').exitCode === 0;

test.if(canVanish)('a client that vanished in the middle of a stream is detected by unacknowledged data', async () => {
  const { socket, held } = await ask(true);
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  const stream = writtenStream();
  held?.answer(stream.reply);
  stream.write(chatDelta('So it is.'));
  await until(() => text.includes('So it is.'));
  await expectFound(socket, held);
});

test.if(canVanish)(
  'a client that vanished while it waited for a whole reply is detected by unanswered probes',
  async () => {
    const { socket, held } = await ask(false);
    await expectFound(socket, held);
  },
);

async function ask(stream: boolean) {
  const before = holding.requests.length;
  const socket = await opened(address);
  socket.on('error', () => undefined);
  const body = { model: 'held', stream, messages: [{ role: 'user', content: 'Hello.' }] };
  socket.write(chatHead(weir, JSON.stringify(body)));
  await until(() => holding.requests.length > before);
  return { socket, held: holding.requests[before] };
}

async function expectFound(socket: Socket, held: HeldRequest | undefined): Promise<void> {
  const rows = async () => (await readLedger(weir)).usage.length;
  const before = await rows();
  try {
    route('add');
    await until(() => held?.left === true, 60_000, 'the end of the connection to the provider');
    await until(async () => (await rows()) > before, 60_000, 'a row');
    expect((await readLedger(weir)).usage.at(-1)).toMatchObject({ status: 499, code: 'client_left' });
  } finally {
    route('del');
    socket.destroy();
  }
}
