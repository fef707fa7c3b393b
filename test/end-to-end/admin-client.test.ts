/** The generated client of the admin API: pages and errors against a real process, retries against a server with a script. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createWeirAdmin, type Token, type WeirAdmin, WeirError } from '../../clients/typescript/weir-admin.ts';
import { adminAccess, checkedFetch } from '../harness/admin-access.ts';
import { ownerOf } from '../harness/console-session.ts';
import { until } from '../harness/until.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

setDefaultTimeout(60_000);

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('with Weir', () => {
  let weir: RunningWeir;
  let admin: WeirAdmin;
  beforeAll(async () => {
    weir = await startWeir();
    const options = await adminAccess(weir, await ownerOf(weir));
    const { fetch: checked } = checkedFetch(options.fetch ?? fetch);
    admin = createWeirAdmin({ ...options, fetch: checked });
  });
  afterAll(() => weir.remove());

  test('lists are read item by item, over their pages', async () => {
    for (let index = 0; index < 5; index++) await admin.tokens.create({ name: `listed ${index}` });
    const first = await admin.tokens.list({ limit: 2, q: 'listed' });
    expect([first.items.length, first.next]).toEqual([2, first.items[1]?.id]);
    const seen: Token[] = [];
    for await (const token of admin.tokens.listAll({ limit: 2, q: 'listed' })) seen.push(token);
    expect(seen.map(({ name }) => name)).toEqual([4, 3, 2, 1, 0].map((index) => `listed ${index}`));
    const actions: string[] = [];
    for await (const { action } of admin.audit.listAll({ limit: 2, action: 'token-create' })) actions.push(action);
    expect(actions).toEqual(Array.from({ length: 5 }, () => 'token-create'));
  });

  test('requests are read to the oldest', async () => {
    for (const model of ['absent-1', 'absent-2', 'absent-3']) {
      const reply = await fetch(`${weir.base}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect(reply.status).toBe(404);
    }
    await until(async () => (await admin.usage.count({ status: '4' })).requests === 3);
    const models: string[] = [];
    for await (const { model } of admin.usage.requestsAll({ limit: 1, status: '4' })) models.push(model);
    expect(models).toEqual(['absent-3', 'absent-2', 'absent-1']);
    const several = await admin.usage.requests({ model: ['absent-1', 'absent-3'] });
    expect(several.items).toHaveLength(2);
  });

  test('an error has its code, status, field and request ID', async () => {
    const error = await failureOf(admin.tokens.create({ name: 'x', rpm: 0 }));
    if (!(error instanceof WeirError)) throw new Error('no WeirError');
    expect([error.status, error.code, error.param]).toEqual([400, 'field_invalid', 'rpm']);
    expect(error.message).toContain('rpm: must be a whole number');
    expect(error.requestId).toMatch(/^req_/);
    expect(await failureOf(admin.tokens.get('tok_absent/../x'))).toMatchObject({ code: 'not_found', status: 404 });
  });

  test('a file arrives as a stream', async () => {
    const reply = await admin.usage.exportSums({ by: 'day,model' });
    expect(await reply.text()).toStartWith('day,model,requests');
  });
});

describe('with a server that fails', () => {
  const seen: { readonly method: string; readonly path: string; readonly key: string | null; readonly auth: string }[] =
    [];
  let replies: Response[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ method, url, headers }) {
      const key = headers.get('idempotency-key');
      seen.push({ method, path: new URL(url).pathname, key, auth: headers.get('authorization') ?? '' });
      return replies.shift() ?? Response.json({ items: [] });
    },
  });
  afterAll(() => server.stop(true));
  const url = `http://127.0.0.1:${server.port}/`;
  const client = (retries = 2) => createWeirAdmin({ url, key: 'weir_admin_x', retries });
  const failing = (status: number, headers: Record<string, string> = {}) =>
    Response.json(
      { error: { code: 'c', message: 'm', param: '' } },
      { status, headers: { 'retry-after': '0', ...headers } },
    );
  const calls = async (given: readonly Response[], work: () => Promise<unknown>) => {
    replies = [...given];
    seen.length = 0;
    const failure = await failureOf(work());
    return { tries: seen.length, failure, keys: new Set(seen.map(({ key }) => key)) };
  };

  test('429 and temporary failures are tried again after the time in Retry-After', async () => {
    const { tries, failure } = await calls([failing(429), failing(503)], () => client().models.list());
    expect([tries, failure]).toEqual([3, undefined]);
    expect(seen[0]).toEqual({ method: 'GET', path: '/admin/v1/models', key: null, auth: 'Bearer weir_admin_x' });
  });

  test('a write keeps its idempotency key over retries, and takes the one that it is given', async () => {
    const create = () => client().tokens.create({ name: 'x' });
    const first = await calls([failing(502), failing(500)], create);
    expect([first.tries, first.keys.size]).toEqual([3, 1]);
    expect([...first.keys][0]).toMatch(/^[\w-]{36}$/);
    const second = await calls([], create);
    expect(second.keys.isDisjointFrom(first.keys)).toBe(true);
    const given = await calls([], () => client().tokens.create({ name: 'x' }, { idempotencyKey: 'deploy-7' }));
    expect([...given.keys]).toEqual(['deploy-7']);
  });

  test('what would fail again is not tried again', async () => {
    for (const reply of [
      failing(400),
      failing(500, { 'x-should-retry': 'false' }),
      failing(429, { 'retry-after': '3600' }),
    ]) {
      const { tries, failure } = await calls([reply], () => client().models.list());
      expect([tries, failure instanceof WeirError]).toEqual([1, true]);
    }
    const { tries, failure } = await calls([failing(503), failing(503)], () => client(1).models.list());
    expect([tries, failure]).toEqual([2, expect.objectContaining({ status: 503, code: 'c', message: 'm' })]);
  });

  test('409 of a write that still runs is tried again, as the server advises', async () => {
    const running = failing(409, { 'x-should-retry': 'true' });
    expect((await calls([running], () => client().tokens.revoke('tok_1'))).tries).toBe(2);
  });

  test('a caller who gives up ends the call', async () => {
    const controller = new AbortController();
    const { tries, failure } = await calls([failing(503, { 'retry-after': '30' })], () => {
      const work = client().models.list({ signal: controller.signal });
      setTimeout(() => controller.abort(new Error('enough')), 100);
      return work;
    });
    expect([tries, failure]).toEqual([1, expect.objectContaining({ message: 'enough' })]);
  });

  test('no server at all is a network error after the retries', async () => {
    let tries = 0;
    const unreachable = createWeirAdmin({
      url,
      key: '',
      retries: 1,
      fetch: () => {
        tries++;
        return Promise.reject(new TypeError('connection refused'));
      },
    });
    expect(await failureOf(unreachable.health.get())).toBeInstanceOf(TypeError);
    expect(tries).toBe(2);
  });
});
