import { expect, test } from 'bun:test';
import { StoreUnavailableError } from '../sql/store-errors.ts';
import { ConnectionSlots } from './connection-slots.ts';

/** Work that runs until it is ended, and is counted while it does. */
function works() {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string) => (): Promise<string> => {
    running.push(name);
    return new Promise((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string): Promise<void> => {
    running.splice(running.indexOf(name), 1);
    ends.get(name)?.();
    await Bun.sleep(0);
  };
  return { running, start, end };
}

test('as many run as there are connections, the others in order of arrival', async () => {
  const slots = new ConnectionSlots({ connections: 2, waitMsMax: 60_000 });
  const { running, start, end } = works();
  const all = ['a', 'b', 'c', 'd'].map((name) => slots.use(false, start(name)));
  await Bun.sleep(0);
  expect(running).toEqual(['a', 'b']);
  await end('b');
  expect(running).toEqual(['a', 'c']);
  await end('a');
  expect(running).toEqual(['c', 'd']);
  await end('c');
  await end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('long queries leave a connection to short ones', async () => {
  const slots = new ConnectionSlots({ connections: 2, waitMsMax: 60_000 });
  const { running, start, end } = works();
  const all = [slots.use(true, start('long')), slots.use(true, start('longer')), slots.use(false, start('short'))];
  await Bun.sleep(0);
  expect(running).toEqual(['long', 'short']);
  await end('long');
  expect(running).toEqual(['short', 'longer']);
  await end('short');
  await end('longer');
  await Promise.all(all);
});

test('one connection is enough for long queries too', async () => {
  const slots = new ConnectionSlots({ connections: 1, waitMsMax: 60_000 });
  expect(await slots.use(true, async () => 1)).toBe(1);
});

test('who waited too long is refused with the reason; a failure frees its connection', async () => {
  const slots = new ConnectionSlots({ connections: 1, waitMsMax: -1 });
  const { start, end } = works();
  const first = slots.use(false, start('first'));
  const late = slots.use(false, async () => 'late').catch((error: unknown) => error);
  await end('first');
  expect(await late).toBeInstanceOf(StoreUnavailableError);
  expect(String(await late)).toContain('database.connections');
  await first;
  const failing = () => Promise.reject(new Error('bad'));
  await expect(slots.use(false, failing)).rejects.toThrow('bad');
  expect(await slots.use(false, async () => 'again')).toBe('again');
});
