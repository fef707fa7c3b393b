/** The levels above a token over HTTP: each one refuses by itself, with a message that names it; on one server and on two replicas. */

import { expect } from 'bun:test';
import { digestOf } from '../../src/access/levels/end-users.ts';
import type { LevelTerms } from '../../src/access/organization.ts';
import { errorOf, post, scripted } from '../harness/chat.ts';
import { askDatabase, type Place } from '../harness/kept-database.ts';
import { addPerson, addUnit, onStore, requestsBudget, setUnitTerms, tokenIn } from '../harness/levels.ts';
import { needing } from '../harness/needs.ts';
import { startReplicas } from '../harness/replicas.ts';
import type { MadeToken } from '../harness/token.ts';
import { until } from '../harness/until.ts';
import { type RunningUpstream, startUpstream } from '../harness/upstream.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

const models = ['gpt-4.1', 'gpt-4.1-mini', 'unpriced-1'];

for (const engine of ['sqlite', 'postgres'] as const) {
  const { afterAll, beforeAll, describe, test } = needing(engine);
  describe(`levels on ${engine}`, () => {
    let upstream: RunningUpstream;
    let servers: readonly RunningWeir[];
    let weir: RunningWeir;
    let place: Place;
    let turn = 0;

    beforeAll(async () => {
      upstream = await startUpstream();
      const yaml = {
        usage: { tags_from_metadata: ['job'] },
        providers: { up: { kind: 'openai', base_url: upstream.base, key: 'sk-upstream', models } },
      };
      const replicas = engine === 'sqlite' ? undefined : await startReplicas(2, { yaml });
      servers = replicas?.all ?? [await startWeir({ yaml })];
      const [first] = servers;
      if (first === undefined) throw new Error('nothing was started');
      weir = first;
      place = replicas?.place ?? first;
    });
    afterAll(async () => {
      await Promise.all(servers?.map((server) => server.remove()) ?? []);
      await upstream?.stop();
    });

    /** Each request goes to the next replica. */
    const call = (token: MadeToken, fields: object = {}, headers: Record<string, string> = {}): Promise<Response> => {
      const { base } = servers[turn++ % servers.length] ?? weir;
      return post({ ...token, base }, scripted({}, { max_tokens: 50, ...fields }), { headers });
    };
    const statuses = async (token: MadeToken, times: number, fields: object = {}): Promise<number[]> => {
      const found: number[] = [];
      for (let count = 0; count < times; count++) found.push((await call(token, fields)).status);
      return found;
    };

    /** Refused once the change is known everywhere; a reply until then is none. */
    async function untilRefused(token: MadeToken, code: string): Promise<string> {
      let message = '';
      await until(
        async () => {
          const errors: { readonly code: string; readonly message: string }[] = [];
          for (const { base } of servers) {
            const reply = await post({ ...token, base }, scripted({}, { max_tokens: 50 }));
            if (reply.status === 200) return false;
            errors.push(await errorOf(reply));
          }
          message = errors[0]?.message ?? '';
          return errors.every((error) => error.code === code);
        },
        60_000,
        code,
      );
      return message;
    }

    test('the first level without room refuses, and says whose budget it is', async () => {
      const team = await addUnit(weir, 'team', 'Research', { budgets: [requestsBudget(3)] });
      const project = await addUnit(weir, 'project', 'Search', { budgets: [requestsBudget(2)] }, team);
      const [one, two] = [await tokenIn(weir, { unitId: project }), await tokenIn(weir, { unitId: team })];
      expect(await statuses(one, 3)).toEqual([200, 200, 402]);
      const refused = await call(one);
      expect(refused.headers.get('x-weir-budget-level')).toBe(`project:${project}`);
      expect(refused.headers.get('x-weir-budget-left')).toBe('0');
      expect(refused.headers.get('x-should-retry')).toBe('false');
      const { code, message } = await errorOf(refused);
      expect(code).toBe('budget_spent');
      expect(message).toContain(
        'This is one request, and 0 requests are left of the budget of 2 requests a day of the project "Search" (2 requests spent). The budget resets at ',
      );
      // Two of the project and one of the team itself.
      expect(await statuses(two, 2)).toEqual([200, 402]);
      const { message: ofTeam } = await errorOf(await call(two));
      expect(ofTeam).toContain('of the budget of 3 requests a day of the team "Research" (3 requests spent)');
    });

    test('a raise counts until it ends', async () => {
      const raised = (untilMs: number): LevelTerms => ({
        budgets: [requestsBudget(1, { raise: { limit: 100n, untilMs } })],
      });
      const team = await addUnit(weir, 'team', 'Raised', raised(Date.now() + 3_600_000));
      const token = await tokenIn(weir, { unitId: team });
      expect(await statuses(token, 3)).toEqual([200, 200, 200]);
      await setUnitTerms(weir, team, raised(Date.now() - 1));
      expect(await untilRefused(token, 'budget_spent')).toContain(
        'of the budget of 1 request a day of the team "Raised"',
      );
    });

    test('a person, a token and a budget for some models each refuse', async () => {
      const person = await addPerson(weir, 'Kim', { budgets: [requestsBudget(1)] });
      const owned = await tokenIn(weir, { ownerId: person });
      expect(await statuses(owned, 2)).toEqual([200, 402]);
      expect((await errorOf(await call(owned))).message).toContain('of the person "Kim"');
      const own = await tokenIn(weir, { terms: { budgets: [requestsBudget(1, { models: ['*-mini'] })] } });
      expect(await statuses(own, 2, { model: 'gpt-4.1-mini' })).toEqual([200, 402]);
      expect(await statuses(own, 2)).toEqual([200, 200]);
    });

    test('tokens are counted as the provider reports them, and the most of a request must fit', async () => {
      const budgets = [{ id: 't', unit: 'tokens' as const, limit: 1_000n, period: 'total' as const }];
      const token = await tokenIn(weir, { terms: { budgets } });
      const sent = await call(token);
      const { usage } = (await sent.json()) as { usage: { total_tokens: number } };
      const held = `SELECT CAST(spent_nano AS TEXT) AS spent FROM budgets WHERE scope = 'token:${token.id}#t'`;
      const spent = async () => (await askDatabase(place, held))[0]?.['spent'];
      await until(async () => (await spent()) === `${usage.total_tokens}`, 30_000, 'the charge');
      const { message } = await errorOf(await call(token, { max_tokens: 5_000 }));
      expect(message).toMatch(
        /^This request could use up to \d+ tokens, and \d+ tokens are left of the token's budget/,
      );
      expect(message).toContain(`and ${1_000 - usage.total_tokens} tokens are left`);
    });

    test('a budget in money needs a price, one in requests does not', async () => {
      const team = await addUnit(weir, 'team', 'Rich', {
        budgets: [{ id: 'm', unit: 'usd', limit: 10n ** 12n, period: 'month' }],
      });
      const token = await tokenIn(weir, { unitId: team });
      const refused = await errorOf(await call(token, { model: 'unpriced-1' }));
      expect([refused.code, refused.message.slice(0, 42)]).toEqual([
        'price_unknown',
        'The team "Rich" has a budget and unpriced-',
      ]);
      const counted = await tokenIn(weir, { terms: { budgets: [requestsBudget(1)] } });
      expect(await statuses(counted, 2, { model: 'unpriced-1' })).toEqual([200, 402]);
    });

    test('a level allows models and endpoints for everything below it', async () => {
      const team = await addUnit(weir, 'team', 'Narrow', { models: ['*-mini'], endpoints: ['chat'] });
      const token = await tokenIn(weir, { unitId: team });
      expect((await call(token, { model: 'gpt-4.1-mini' })).status).toBe(200);
      const refused = await errorOf(await call(token));
      expect([refused.code, refused.message]).toEqual([
        'model_not_allowed',
        'This token may not use the model gpt-4.1: the team "Narrow" does not allow it.',
      ]);
      const headers = { authorization: `Bearer ${token.token}` };
      const list = await fetch(`${weir.base}/models`, { headers });
      expect((await errorOf(list)).message).toContain('the team "Narrow" does not allow it');
    });

    test('a disabled team refuses every token below it, and names itself', async () => {
      const team = await addUnit(weir, 'team', 'Closed');
      const project = await addUnit(weir, 'project', 'Inside', {}, team);
      const token = await tokenIn(weir, { unitId: project });
      expect((await call(token)).status).toBe(200);
      await setUnitTerms(weir, team, { disabled: true });
      expect(await untilRefused(token, 'token_disabled')).toBe(
        'The team "Closed" is disabled. Ask an administrator to enable it.',
      );
      await setUnitTerms(weir, team, {});
      await until(async () => (await call(token)).status === 200 && (await call(token)).status === 200);
    });

    test('a rate limit of a team counts for all of its tokens', async () => {
      const team = await addUnit(weir, 'team', 'Slow', { rpm: 2 });
      const [one, two] = [await tokenIn(weir, { unitId: team }), await tokenIn(weir, { unitId: team })];
      const ask = (token: MadeToken) => post({ ...token, base: weir.base }, scripted({}));
      expect([(await ask(one)).status, (await ask(two)).status]).toEqual([200, 200]);
      const refused = await ask(one);
      expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect((await errorOf(refused)).message).toContain('The team "Slow" reached its limit of 2 requests per minute.');
    });

    test('end users have the default budget each, and terms and blocks of their own', async () => {
      const team = await addUnit(weir, 'team', 'Portal', { endUsers: { budgets: [requestsBudget(2)], max: 3 } });
      const [token, other] = [await tokenIn(weir, { unitId: team }), await tokenIn(weir, { unitId: team })];
      expect(await statuses(token, 3, { user: 'kim' })).toEqual([200, 200, 402]);
      expect((await errorOf(await call(other, { user: 'kim' }))).message).toContain('of the end user "kim"');
      expect(await statuses(other, 2, { user: 'lee' })).toEqual([200, 200]);
      // The header of Open WebUI counts before the body.
      const webUi = { 'x-openwebui-user-id': 'kim' };
      expect((await call(token, { user: 'new' }, webUi)).status).toBe(402);
      // No end user is named: no level of end users.
      expect((await call(token)).status).toBe(200);

      const key = { scopeId: team, digest: digestOf('kim') };
      await onStore(weir, ({ endUsers }) => endUsers.change(key, { terms: { budgets: [requestsBudget(4)] } }));
      await until(async () => (await call(token, { user: 'kim' })).status === 200, 60_000, 'a larger budget');
      await onStore(weir, ({ endUsers }) => endUsers.change(key, { isBlocked: true }));
      const isBlocked = async () =>
        (await statuses(token, servers.length, { user: 'kim' })).every((status) => status === 403);
      await until(isBlocked, 60_000, 'the block');
      expect((await errorOf(await call(token, { user: 'kim' }))).code).toBe('end_user_blocked');

      // Three of this token are known with these; `lee` is of the other one.
      expect(await statuses(token, 1, { user: 'two' })).toEqual([200]);
      expect(await statuses(token, 1, { user: 'three' })).toEqual([200]);
      const many = await errorOf(await call(token, { user: 'four' }));
      expect([many.code, many.message.slice(0, 32)]).toEqual([
        'end_users_exceeded',
        'This token already has 3 end use',
      ]);
    });

    test('tags are in the row, and the header is not sent on', async () => {
      const token = await tokenIn(weir, {});
      const fields = { metadata: { job: 'nightly', other: 'x' }, user: 'kim', store: true };
      const reply = await call(token, fields, { 'x-weir-tags': 'batch, eu' });
      expect(reply.status).toBe(200);
      const id = reply.headers.get('x-request-id');
      await reply.text();
      const row = async () =>
        (await askDatabase(place, `SELECT tags, end_user FROM usage_rows WHERE request_id = '${id}'`))[0];
      await until(async () => (await row()) !== undefined, 60_000, 'the row');
      expect(await row()).toEqual({ tags: ',batch,eu,job:nightly,', end_user: 'kim' });
      expect(await onStore(weir, ({ usage }) => usage.byId(id ?? ''))).toMatchObject({
        tags: ['batch', 'eu', 'job:nightly'],
      });
      const sent = await upstream.invoice();
      expect(JSON.stringify(sent)).not.toContain('x-weir-tags');
    });

    test('the organization refuses last of all that other tests sent', async () => {
      const token = await tokenIn(weir, {});
      await setUnitTerms(weir, 'org', { budgets: [requestsBudget(0, { period: 'total' })] });
      expect(await untilRefused(token, 'budget_spent')).toContain('of the budget of 0 requests of the organization');
      await setUnitTerms(weir, 'org', {});
      await until(async () => (await call(token)).status === 200 && (await call(token)).status === 200);
    });
  });
}
