/** Two replicas on PostgreSQL: a write with an Idempotency-Key is done once, wherever its repetitions arrive. */

import { expect, setDefaultTimeout } from 'bun:test';
import type { IssuedTokenView, PageView } from '../../../src/admin/contracts/account-contract.ts';
import type { IssuedAdminKeyView } from '../../../src/admin/contracts/admin-key-contract.ts';
import { KeyClient } from '../../harness/admin-key.ts';
import type { ConsoleClient } from '../../harness/console-client.ts';
import { ownerOf } from '../../harness/console-session.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';

setDefaultTimeout(600_000);

const { afterAll, beforeAll, test } = needing('postgres');

let replicas: Replicas;
let owner: ConsoleClient;

beforeAll(async () => {
  replicas = await startReplicas(2, { yaml: {} });
  owner = await ownerOf(replicas.at(0));
});
afterAll(() => replicas?.remove());

test('forty writes of ten keys at two replicas make ten tokens, and every reply is the first one', async () => {
  const issued = (await owner.post('/admin-keys', { name: 'k', role: 'owner' })).body as IssuedAdminKeyView;
  const clients = replicas.all.map((weir) => new KeyClient(weir, issued.key));
  const send = (client: KeyClient, number: number) =>
    client.post('/tokens', { name: `replicated-${number}` }, { headers: { 'idempotency-key': `n-${number}` } });
  const numbers = Array.from({ length: 10 }, (_, number) => number);
  const sent = numbers.flatMap((number) => [...clients, ...clients].map((client) => send(client, number)));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  for (const number of numbers) {
    const [first, second] = await Promise.all(clients.map((client) => send(client, number)));
    expect([first?.status, first?.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(second?.body).toEqual(first?.body as object);
  }
  const { items } = (await owner.get('/tokens?limit=200&q=replicated')).body as PageView<IssuedTokenView>;
  expect(items).toHaveLength(10);
  // Sealed: neither the secrets nor the names are in the table.
  const rows = JSON.stringify(await replicas.query('SELECT * FROM idempotent_writes'));
  expect([rows.includes('replicated'), rows.includes(items[0]?.hint.slice(0, 9) ?? '')]).toEqual([false, false]);
  await owner.call('DELETE', `/admin-keys/${issued.id}`);
  expect((await clients[1]?.get('/tokens'))?.status).toBe(401);
});
