/** Two ends over a real socket: answers, failures, order, large lines, and the end of the connection. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UnixSocketListener } from 'bun';
import { StoreUnavailableError } from '../store/sql/store-errors.ts';
import { Peer, type Services } from './peer.ts';

let folder: string;
let listener: UnixSocketListener<Peer> | undefined;
const ended: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-peer-'));
  ended.length = 0;
});
afterEach(() => {
  listener?.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

async function pair(services: Services, own: Services = {}): Promise<{ readonly near: Peer; far(): Peer }> {
  let far: Peer | undefined;
  listener = Bun.listen<Peer>({
    unix: join(folder, 's'),
    socket: {
      ...Peer.handlers,
      open(socket) {
        far = new Peer(services, () => ended.push('far'));
        socket.data = far;
        far.opened(socket);
      },
    },
  });
  const near = new Peer(own, () => ended.push('near'));
  near.opened(await Bun.connect<Peer>({ unix: join(folder, 's'), data: near, socket: Peer.handlers }));
  return { near, far: () => far as Peer };
}

test('each call gets its own answer, at once or later, in whatever order they come', async () => {
  const { near } = await pair({
    n: (text) => `n ${text}`,
    l: async (text) => {
      await Bun.sleep(Number(text) % 3);
      return `l ${text}`;
    },
  });
  const calls = Array.from({ length: 500 }, (_, index) => [index % 2 === 0 ? 'n' : 'l', `${index}`] as const);
  const answers = await Promise.all(calls.map(([service, text]) => near.call(service, text)));
  expect(answers).toEqual(calls.map(([service, text]) => `${service} ${text}`));
});

test('lines longer than any buffer of the socket arrive whole, in any language', async () => {
  const { near } = await pair({ z: (text) => `${text.length} ${text.slice(-4)}` });
  const text = `${'流 水 é '.repeat(700_000)}ende`;
  expect(await Promise.all([near.call('z', text), near.call('z', 'kurz')])).toEqual([`${text.length} ende`, '4 kurz']);
});

test('an error keeps its kind and its words', async () => {
  const { near } = await pair({
    f: () => {
      throw new StoreUnavailableError('The disk is full.');
    },
    r: () => Promise.reject(new Error('line one\nline two')),
  });
  const failed = await near.call('f', '').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreUnavailableError);
  expect(failed).toMatchObject({ message: 'The disk is full.' });
  await expect(near.call('r', '')).rejects.toThrow('line one\nline two');
  await expect(near.call('x', '')).rejects.toThrow('does not know this call');
});

test('both ends may call', async () => {
  const { near, far } = await pair({ p: () => 'pong' }, { m: () => 'text' });
  expect(await near.call('p', '')).toBe('pong');
  expect(await far().call('m', '')).toBe('text');
});

test('when the connection ends, what waits fails and so does what comes later', async () => {
  const { near } = await pair({ v: () => new Promise(() => undefined) });
  const waiting = near.call('v', '').catch((error: unknown) => error);
  await Bun.sleep(10);
  listener?.stop(true);
  expect(await waiting).toBeInstanceOf(StoreUnavailableError);
  await expect(near.call('v', '')).rejects.toBeInstanceOf(StoreUnavailableError);
  expect(ended).toContain('near');
});
