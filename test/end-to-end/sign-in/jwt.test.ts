/** JSON Web Tokens in the place of a token: what they may do, what is refused and why, key rotation and revocation. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { ConsoleClient } from '../../harness/console-client.ts';
import { ownerOf } from '../../harness/console-session.ts';
import { FakeIssuer, newKey } from '../../harness/fake-issuer.ts';
import {
  chatDelta,
  type HoldingUpstream,
  startHoldingUpstream,
  writtenStream,
} from '../../harness/holding-upstream.ts';
import { bearer, callWith, claimsOf, hello, type JwtReply, jwtAudience, nowS } from '../../harness/jwt-calls.ts';
import { oidcClient, type RunningProvider, startOidcProvider } from '../../harness/oidc-provider.ts';
import { folderWithTeams } from '../../harness/team-folder.ts';
import { until } from '../../harness/until.ts';
import { type RunningWeir, startWeir } from '../../harness/weir.ts';

let issuer: FakeIssuer;
let away: FakeIssuer;
let provider: RunningProvider;
let upstream: HoldingUpstream;
let weir: RunningWeir;
let owner: ConsoleClient;
let dataFolder: string;

beforeAll(async () => {
  issuer = await FakeIssuer.start();
  away = await FakeIssuer.start();
  provider = await startOidcProvider(1);
  upstream = startHoldingUpstream();
  dataFolder = await folderWithTeams('Research');
  const base = { audiences: [jwtAudience] };
  weir = await startWeir({
    dataFolder,
    yaml: {
      providers: {
        up: { kind: 'openai-chat', base_url: upstream.base, key: 'sk-up', models: ['small', 'large'] },
      },
      jwt: {
        issuers: {
          ci: {
            ...{ ...base, issuer: issuer.url, clock_skew_s: 5, max_lifetime_s: 3_600, subjects_max: 40 },
            rules: [
              {
                match: { repository: 'company/*', ref: ['refs/heads/main', 'refs/tags/*'] },
                ...{ team: 'research', models: ['small'], labels: ['ci'], rpm: 1_000 },
                budgets: [{ unit: 'requests', limit: 2, period: 'total' }],
              },
              { match: { groups: 'staff' }, team_claim: 'department', models_claim: 'models' },
              { match: { 'kubernetes.io.namespace': 'batch' }, endpoints: ['models'] },
              { match: { sub: 'open-*' } },
            ],
          },
          company: { ...base, issuer: provider.issuer, rules: [{ match: { client_id: 'ci' }, team: 'Research' }] },
          away: { ...base, issuer: away.url, rules: [{}] },
        },
      },
    },
  });
  owner = await ownerOf(weir);
});
afterAll(async () => {
  await weir?.remove();
  await Promise.all([issuer?.stop(), away?.stop(), provider?.stop(), upstream?.stop()]);
  rmSync(dataFolder, { recursive: true, force: true });
});

const ownToken = (jwt: string): Promise<JwtReply> => callWith(`${weir.base}/token`, bearer(jwt));
const openJwt = (claims: Record<string, unknown> = {}) => issuer.sign(claimsOf(issuer, { sub: 'open-1', ...claims }));
const main = { repository: 'company/app', ref: 'refs/heads/main', sub: 'repo:company/app:ref:refs/heads/main' };

async function chat(jwt: string, model: string): Promise<JwtReply> {
  const before = upstream.requests.length;
  const asking = callWith(`${weir.base}/chat/completions`, bearer(jwt), hello(model));
  await Promise.race([asking, until(() => upstream.requests.length > before, 60_000)]);
  const message = { role: 'assistant', content: 'Hello.', refusal: null };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  upstream.requests[before]?.answer(
    Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage }),
  );
  return asking;
}

describe('an honest JWT', () => {
  test('calls as its subject: team, models, labels and budgets are those of the first rule that matches', async () => {
    const first = await chat(await issuer.sign(claimsOf(issuer, main)), 'small');
    expect(first.status).toBe(200);
    expect((await chat(await issuer.sign(claimsOf(issuer, main)), 'large')).code).toBe('model_not_allowed');
    // Another JWT of the same subject: its budget is the same.
    expect((await chat(await issuer.sign(claimsOf(issuer, main)), 'small')).status).toBe(200);
    const jwt = await issuer.sign(claimsOf(issuer, main));
    expect(await chat(jwt, 'small')).toMatchObject({ status: 402, code: 'budget_spent' });
    const { body } = await ownToken(jwt);
    expect(body).toMatchObject({
      name: 'ci: repo:company/app:ref:refs/heads/main',
      models: ['small'],
      levels: [{ level: 'organization' }, { level: 'team', name: 'Research' }],
      budgets: [{ unit: 'requests', limit: 2, spent: 2, left: 0 }],
    });
    expect(Date.parse(String(body['expires_at']))).toBeGreaterThan(Date.now());

    const id = String(body['id']);
    const statuses = async () => {
      const listed = await owner.get(`/usage/requests?token=${id}&limit=50`);
      return (listed.body as { items: { status: number }[] }).items.map(({ status }) => status).toSorted();
    };
    await until(async () => (await statuses()).length === 4, 30_000, 'the rows of all requests');
    expect(await statuses()).toEqual([200, 200, 402, 403]);
    const { body: token } = await owner.get(`/tokens/${id}`);
    expect(token).toMatchObject({ hint: 'JWT', unitId: 'team_research', labels: ['ci'], rpm: 1_000 });
    const made = await owner.get('/audit?action=token-create&limit=1');
    expect(made.body).toMatchObject({ items: [{ accountName: 'jwt:ci', subject: `token:${id}` }] });
  });

  test('may have its team and its models in claims', async () => {
    const claims = { sub: 'ada', groups: ['other', 'staff'], department: 'Research', models: 'small large-*' };
    const { body } = await ownToken(await issuer.sign(claimsOf(issuer, claims)));
    expect(body).toMatchObject({ models: ['small', 'large-*'], levels: [{}, { name: 'Research' }] });
    const without = await ownToken(await issuer.sign(claimsOf(issuer, { ...claims, models: undefined })));
    expect(without).toMatchObject({ status: 401, code: 'jwt_refused' });
    const elsewhere = await ownToken(await issuer.sign(claimsOf(issuer, { ...claims, department: 'Nowhere' })));
    expect(elsewhere).toMatchObject({ status: 403, code: 'jwt_not_allowed' });
  });

  test('works wherever a token does, and is verified once', async () => {
    const jwt = await openJwt();
    const requestsBefore = issuer.requests.length;
    for (const headers of [bearer(jwt), { 'x-api-key': jwt }, { 'x-goog-api-key': jwt }]) {
      expect((await callWith(`${weir.url}/v1/models`, headers)).status).toBe(200);
    }
    expect((await callWith(`${weir.url}/v1beta/models?key=${jwt}`, {})).status).toBe(200);
    expect(issuer.requests.length).toBe(requestsBefore);
    const limited = { sub: 'system:serviceaccount:batch:job', 'kubernetes.io': { namespace: 'batch' } };
    const inCluster = await issuer.sign(claimsOf(issuer, limited));
    expect((await callWith(`${weir.url}/v1/models`, bearer(inCluster))).status).toBe(200);
    expect((await chat(inCluster, 'small')).code).toBe('endpoint_not_allowed');
  });

  test('of oidc-provider, got with client credentials, works too', async () => {
    const reply = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`ci:${encodeURIComponent(oidcClient.secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: jwtAudience }),
    });
    const { access_token: jwt } = (await reply.json()) as { access_token: string };
    expect(await ownToken(jwt)).toMatchObject({ status: 200, body: { name: 'company: ci' } });
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('refused', () => {
  const cases: readonly [what: string, message: RegExp, jwt: () => string | Promise<string>][] = [
    ['another issuer', /evil\.example, is not configured/, () => openJwt({ iss: 'https://evil.example' })],
    ['no issuer', /no issuer/, () => openJwt({ iss: undefined })],
    ['a wrong audience', /another audience.*https:\/\/models\.example/, () => openJwt({ aud: 'others' })],
    ['no expiry', /no expiry/, () => openJwt({ exp: undefined })],
    ['not yet valid', /not valid yet/, () => openJwt({ nbf: nowS() + 60 })],
    ['from the future', /issued in the future/, () => openJwt({ iat: nowS() + 60 })],
    ['valid for too long', /too long.*3600/, () => openJwt({ exp: nowS() + 7_200 })],
    ['no subject', /no usable claim sub/, () => openJwt({ sub: undefined })],
    ['bound to a key', /bound to a key/, () => openJwt({ cnf: { jkt: 'x' } })],
    ['a logout token', /type/, () => issuer.logoutToken({ aud: jwtAudience })],
    ['longer than 8 KiB', /8192/, () => openJwt({ text: 'x'.repeat(9_000) })],
    ['no JSON in it', /malformed/, () => `eyJ${'a'.repeat(40)}.bbbb.cccc`],
    ['alg none', /algorithm/, () => `${part({ alg: 'none' })}.${part(claimsOf(issuer, { sub: 'open-1' }))}.`],
    [
      'HS256 with the public key',
      /algorithm/,
      () => {
        const text = `${part({ alg: 'HS256', kid: 'key-1' })}.${part(claimsOf(issuer, { sub: 'open-1' }))}`;
        const secret = JSON.stringify(issuer.keys[0]?.jwk);
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      },
    ],
    [
      'changed after it was signed',
      /signature/,
      async () => {
        const [head, , signature] = (await openJwt()).split('.');
        return `${head}.${part(claimsOf(issuer, { sub: 'open-2' }))}.${signature}`;
      },
    ],
    [
      'an unpublished key',
      /does not publish/,
      async () => issuer.sign(claimsOf(issuer, { sub: 'open-1' }), {}, await newKey('stolen')),
    ],
  ];
  test.each(cases)('%s', async (_what, message, jwt) => {
    expect(await ownToken(await jwt())).toMatchObject({
      status: 401,
      code: 'jwt_refused',
      message: expect.stringMatching(message),
    });
  });

  test('expired: as a token, and in the envelope of the caller', async () => {
    const jwt = await openJwt({ iat: nowS() - 600, exp: nowS() - 60 });
    expect(await ownToken(jwt)).toMatchObject({ status: 401, code: 'token_expired' });
    const messages = await callWith(`${weir.base}/messages`, { 'x-api-key': jwt }, hello('small'));
    expect(messages.body).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  });

  test('no rule matches: 403', async () => {
    const branch = { ...main, ref: 'refs/heads/other' };
    const reply = await ownToken(await issuer.sign(claimsOf(issuer, branch)));
    expect(reply).toMatchObject({ status: 403, code: 'jwt_not_allowed' });
  });

  test('one subject more than the issuer may have', async () => {
    const replies = await Promise.all(
      Array.from({ length: 45 }, async (_, at) => ownToken(await openJwt({ sub: `open-x${at}` }))),
    );
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThan(40);
    expect(replies.filter(({ code }) => code === 'jwt_not_allowed').length).toBeGreaterThanOrEqual(5);
  });
});

describe('revoked', () => {
  test('by its id: it and what runs for it end, and others of the subject work', async () => {
    const jti = 'run-1';
    const jwt = await openJwt({ jti });
    const before = upstream.requests.length;
    const asking = fetch(`${weir.base}/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(jwt), 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello('small'), stream: true }),
    });
    await until(() => upstream.requests.length > before, 60_000);
    const stream = writtenStream();
    upstream.requests[before]?.answer(stream.reply);
    stream.write(chatDelta('So'));
    const reply = await asking;
    expect((await owner.post('/jwt/revocations', { issuer: 'ci', jti })).status).toBe(200);
    expect(await reply.text()).toContain('token_disabled');
    expect(await ownToken(jwt)).toMatchObject({
      status: 401,
      code: 'token_disabled',
      message: expect.stringMatching(/revoked/),
    });
    expect((await ownToken(await openJwt())).status).toBe(200);
    expect((await owner.get('/jwt/revocations')).body).toMatchObject({ items: [{ issuer: 'ci', jti }] });
    const audit = await owner.get('/audit?action=jwt-revoke&limit=1');
    expect(audit.body).toMatchObject({ items: [{ detail: { jti, issuer: 'ci' } }] });
  });

  test('by its subject, until the token is enabled again; limits are left to the rules', async () => {
    const jwt = await openJwt();
    const { body } = await owner.post('/jwt/revocations', { issuer: issuer.url, subject: 'open-1' });
    const { tokenId } = body as { tokenId: string };
    await until(async () => (await ownToken(jwt)).code === 'token_disabled', 30_000);
    expect((await owner.call('PATCH', `/tokens/${tokenId}`, { body: { rpm: 5 } })).status).toBe(400);
    expect((await owner.post(`/tokens/${tokenId}/rotate`)).status).toBe(400);
    expect((await owner.call('PATCH', `/tokens/${tokenId}`, { body: { disabled: false } })).status).toBe(200);
    await until(async () => (await ownToken(jwt)).status === 200, 30_000);
    expect((await owner.post('/jwt/revocations', { issuer: 'none', jti: 'x' })).status).toBe(404);
    expect((await owner.post('/jwt/revocations', { issuer: 'ci' })).status).toBe(400);
  });
});

describe('keys', () => {
  test('are read again for a key that the issuer has published since', async () => {
    await issuer.rotate('key-2');
    // An unknown key was asked for a moment ago.
    await until(async () => (await ownToken(await openJwt())).status === 200, 60_000);
    // The old key is no longer accepted.
    const old = await newKey('key-1');
    expect((await ownToken(await issuer.sign(claimsOf(issuer, { sub: 'open-1' }), {}, old))).code).toBe('jwt_refused');
  });

  test('are used while the issuer is away; without any, the answer is 503', async () => {
    const jwt = await openJwt();
    const first = await away.sign(claimsOf(away));
    await issuer.stop();
    await away.stop();
    expect((await ownToken(jwt)).status).toBe(200);
    expect(await ownToken(first)).toMatchObject({ status: 503, code: 'issuer_unavailable' });
  });
});
