/** Video tasks in the console: all tasks for operators, their own for members, and the videos themselves. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { TaskRowView, TasksView } from '../../src/admin/contracts/settings-contract.ts';
import { ConsoleClient, codeOf } from '../harness/console-client.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(300_000);
const password = 'a password for all of them';
let weir: RunningWeir;
let owner: ConsoleClient;
let member: ConsoleClient;
let stranger: ConsoleClient;
let hers = { id: '', token: '' };

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_ADMIN_PASSWORD: password, WEIR_TASKS_ASK_EVERY_MS: '50' } });
  const signedIn = async (name: string): Promise<ConsoleClient> => {
    const client = new ConsoleClient(weir);
    await client.signIn(name, password);
    return client;
  };
  owner = await signedIn('admin');
  for (const name of ['mia', 'max']) await owner.post('/accounts', { name, role: 'member', password });
  [member, stranger] = [await signedIn('mia'), await signedIn('max')];
  hers = (await member.post('/tokens', { name: 'hers' })).body as typeof hers;
});
afterAll(() => weir.remove());

async function order(token: string, fields: object = {}): Promise<string> {
  const reply = await fetch(`${weir.base}/video/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-video', prompt: 'a lake', duration: 1, size: '128x128', ...fields }),
  });
  return ((await reply.json()) as { task_id: string }).task_id;
}

const list = async (client: ConsoleClient, query = ''): Promise<TasksView> =>
  (await client.get(`/tasks${query}`)).body as TasksView;
const idsOf = ({ items }: TasksView): string[] => items.map(({ id }) => id);

async function completed(id: string): Promise<TaskRowView> {
  let found: TaskRowView | undefined;
  await until(async () => {
    found = (await list(owner)).items.find((task) => task.id === id);
    return found?.state === 'completed';
  }, 300_000);
  if (found === undefined) throw new Error('no task');
  return found;
}

const video = (path: string, client: ConsoleClient, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${weir.url}${path}`, { headers: { cookie: client.cookie, ...headers } });

test('a task is listed with its details, and its video can be watched in parts by those who may see it', async () => {
  const id = await order(hers.token);
  const task = await completed(id);
  expect(task).toMatchObject({
    id,
    tokenId: hers.id,
    tokenName: 'hers',
    model: 'sandbox-video',
    provider: 'sandbox',
    percent: 100,
    seconds: 1,
    size: '128x128',
    costUsd: '0.00',
    isDeleted: false,
  });
  expect(Date.parse(task.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(task.createdAt));
  const [{ path, mediaType } = { path: '', mediaType: '' }] = task.videos;
  expect(mediaType).toBe('video/mp4');

  const whole = await video(path, member);
  const bytes = await whole.bytes();
  expect(Buffer.from(bytes.subarray(4, 8)).toString()).toBe('ftyp');
  expect(whole.headers.get('content-type')).toBe('video/mp4');
  expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
  expect(whole.headers.get('cache-control')).toBe('no-store');
  expect(whole.headers.get('content-security-policy')).toContain('sandbox');
  expect(whole.headers.get('access-control-allow-origin')).toBeNull();
  const part = await video(path, owner, { range: 'bytes=4-7' });
  expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
    206,
    'ftyp',
    `bytes 4-7/${bytes.length}`,
  ]);

  expect((await video(path, stranger)).status).toBe(404);
  expect((await video(path, new ConsoleClient(weir))).status).toBe(401);
  const byToken = await fetch(`${weir.url}${path}`, { headers: { authorization: `Bearer ${hers.token}` } });
  expect(byToken.status).toBe(403);
  for (const other of [
    path.replace(/0$/, '1'),
    path.replace(/0$/, '-1'),
    path.replace(/0$/, 'x'),
    '/console/api/tasks/none/videos/0',
  ])
    expect((await video(other, owner)).status).toBe(404);
});

test('pages are newest first, narrowed by state, model and token; members see their own', async () => {
  const others = [await order(weir.token), await order(weir.token), await order(weir.token)];
  await Promise.all(others.map(completed));
  const newestFirst = others.toReversed();
  const first = await list(owner, '?limit=2');
  expect(idsOf(first)).toEqual(newestFirst.slice(0, 2));
  const second = await list(owner, `?limit=2&after=${first.next}`);
  expect(idsOf(second)[0]).toBe(newestFirst[2]);
  expect(second.next).toBeUndefined();

  const own = await list(member);
  expect(new Set(own.items.map(({ tokenId }) => tokenId))).toEqual(new Set([hers.id]));
  expect(idsOf(await list(stranger))).toEqual([]);
  expect(idsOf(await list(owner, `?token=${hers.id}`))).toEqual(idsOf(own));
  expect(idsOf(await list(member, `?token=${(await list(owner)).items[0]?.tokenId}`))).toEqual([]);
  expect(idsOf(await list(owner, '?state=failed'))).toEqual([]);
  expect(idsOf(await list(owner, '?state=completed&model=sandbox-video'))).toHaveLength(4);
  expect(idsOf(await list(owner, '?model=another'))).toEqual([]);
  expect(codeOf(await owner.get('/tasks?state=lost'))).toBe('field_invalid');
  expect(codeOf(await owner.get('/tasks?after=nonsense'))).toBe('field_invalid');
});

test('a task that its caller deleted is still listed, without its video', async () => {
  const id = await order(hers.token);
  const { videos } = await completed(id);
  await fetch(`${weir.base}/video/generations/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${hers.token}` },
  });
  expect((await list(member)).items.find((task) => task.id === id)).toMatchObject({ isDeleted: true, videos: [] });
  expect((await video(videos[0]?.path ?? '', owner)).status).toBe(404);
});
