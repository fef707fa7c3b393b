/** A JWT that one replica revokes is refused by the others, and its budget is one over all of them. */

import { expect, setDefaultTimeout } from 'bun:test';
import { ConsoleClient } from '../../harness/console-client.ts';
import { FakeIssuer } from '../../harness/fake-issuer.ts';
import { bearer, callWith, claimsOf, jwtAudience } from '../../harness/jwt-calls.ts';
import { needing } from '../../harness/needs.ts';
import { type Replicas, startReplicas } from '../../harness/replicas.ts';
import { until } from '../../harness/until.ts';

setDefaultTimeout(300_000);
const { afterAll, beforeAll, test } = needing('postgres');
const password = 'a password that is long enough';
let issuer: FakeIssuer;
let replicas: Replicas;

beforeAll(async () => {
  issuer = await FakeIssuer.start();
  const rules = [{ budgets: [{ unit: 'requests', limit: 3, period: 'total' }] }];
  replicas = await startReplicas(2, {
    yaml: {
      sandbox: { enabled: true },
      jwt: { issuers: { ci: { issuer: issuer.url, audiences: [jwtAudience], rules } } },
    },
    env: { WEIR_ADMIN_PASSWORD: password },
  });
});
afterAll(async () => {
  await replicas?.remove();
  await issuer?.stop();
});

test('a revocation reaches every replica', async () => {
  const jwt = await issuer.sign(claimsOf(issuer, { jti: 'one' }));
  const codes = () =>
    Promise.all(replicas.all.map(async ({ base }) => (await callWith(`${base}/token`, bearer(jwt))).code));
  expect(await codes()).toEqual(['', '']);
  const rows = await replicas.query("SELECT id FROM tokens WHERE id LIKE 'tok_jwt_%'");
  expect(rows.length).toBe(1);
  const admin = new ConsoleClient(replicas.at(0));
  expect((await admin.signIn('admin', password)).status).toBe(200);
  expect((await admin.post('/jwt/revocations', { issuer: 'ci', jti: 'one' })).status).toBe(200);
  await until(async () => (await codes()).every((code) => code === 'token_disabled'), 30_000);
  const other = await issuer.sign(claimsOf(issuer));
  expect((await callWith(`${replicas.at(1).base}/token`, bearer(other))).status).toBe(200);
});
