/** `weir apply` and `weir export` over a store, on both engines: what is planned, refused, written and exported. */

import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameKeyOf } from '../../src/admin/accounts/name-key.ts';
import { type ApplyOutcome, type ApplyParts, applyOrgFile } from '../../src/cli/apply/apply.ts';
import { applyParts, exported } from '../../src/cli/apply/commands.ts';
import type { IssuedSecret } from '../../src/cli/apply/draft.ts';
import { loadConfig } from '../../src/config/load.ts';
import { writeChangeSet } from '../../src/store/organization/change-set-queries.ts';
import type { ChangeSet } from '../../src/store/organization/change-set-store.ts';
import type { Store } from '../../src/store/store.ts';
import { needing } from '../harness/needs.ts';
import { engines, type StorePlace } from '../harness/store-places.ts';

const now = Date.parse('2030-06-01T12:00:00Z');

const organization = `
organization:
  name: Acme
  terms:
    rpm: 1000
    budgets:
      - { unit: usd, limit: "1000", period: month }
people:
  Mara: { role: owner }
  jan@example.com: { terms: { rpm: 60 } }
teams:
  Search:
    terms:
      rpm: 600
      models: ["gpt-*"]
      tools: [web_search]
      budgets:
        - { unit: usd, limit: "200", period: month }
        - { unit: tokens, limit: 5000, period: day, models: [gpt-5*], raise: { limit: 9000, until: 2031-01-01 } }
    members: { Mara: admin, jan@example.com: member }
    projects:
      Ranking: { terms: { rpm: 100 } }
  Ads:
tokens:
  - name: ci
    team: Search
    project: Ranking
    terms: { budget_usd: "10", budget_period: month, models: [gpt-5], expires_at: 2030-12-31, labels: [b, a], tools: [] }
  - { name: laptop, team: Search, owner: jan@example.com }
  - { name: everything }
providers:
  mine:
    kind: openai-chat
    base_url: https://api.example.com/v1
    key_env: MINE_KEY
    headers: { authorization: "Bearer abcdef1234567890", x-plain: a }
models:
  fast: { targets: [{ provider: mine, model: gpt-5 }] }
prices:
  gpt-5: { input: 2.5, output: 10 }
alerts:
  channels:
    ops: { kind: slack, url_env: OPS_URL }
    hook: { kind: webhook, url_env: OPS_URL }
    mail: { kind: mail, to: [a@example.com] }
  rules:
    money: { kinds: [budget], channels: [ops, mail], budget_percents: [90] }
`;

for (const engine of engines) {
  const { afterEach, beforeEach, describe, test } = needing(engine.name);
  describe(`apply on ${engine.name}`, () => {
    let place: StorePlace;
    let store: Store;
    let parts: ApplyParts;
    let folder: string;
    let given: readonly IssuedSecret[];
    const environment: Record<string, string> = {};

    beforeEach(async () => {
      place = await engine.place();
      folder = mkdtempSync(join(tmpdir(), 'weir-apply-'));
      store = await place.open(() => now);
      const config = loadConfig({
        environment: { WEIR_DATA: folder },
        readFile: () => undefined,
        workingFolder: folder,
      });
      const made = await applyParts(store, config, { out: () => undefined, err: () => undefined });
      environment['MINE_KEY'] = 'sk-mine-1234567890';
      environment['OPS_URL'] = 'https://hooks.example.com/secret-path';
      parts = { ...made, sources: { ...made.sources, environment }, nowMs: () => now, by: 'weir apply (test)' };
      given = [];
    });
    afterEach(async () => {
      await place.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    const run = (text: string, options: { prune?: boolean; dryRun?: boolean } = {}): Promise<ApplyOutcome> => {
      const { prune: isPruning = false, dryRun: isDryRun = false } = options;
      const give = (secrets: readonly IssuedSecret[]): void => {
        given = secrets;
      };
      return applyOrgFile(parts, text, { isPruning, isDryRun, give });
    };
    const linesOf = (outcome: ApplyOutcome): readonly string[] =>
      'lines' in outcome ? outcome.lines.map(({ sign, text }) => `${sign} ${text}`) : [JSON.stringify(outcome)];
    const mistakesOf = (outcome: ApplyOutcome): readonly string[] =>
      outcome.state === 'mistaken'
        ? outcome.mistakes.map(({ key, line, message }) => `${line} ${key}: ${message}`)
        : [];
    const everything = async () => ({
      channels: await store.alerts.channels.list(),
      rules: await store.alerts.rules.list(),
      ...(await store.changeSets.read()),
      entries: (await store.configuration.read()).entries,
    });

    test('what the file says is made once, and the same file changes nothing after it', async () => {
      const before = await everything();
      expect((await run(organization, { dryRun: true })).state).toBe('planned');
      expect(await everything()).toEqual(before);
      expect(given).toEqual([]);
      const written = await run(organization);
      expect(linesOf(written)).toEqual([
        '+ person Mara (owner)',
        '+ person jan@example.com (member)',
        '~ organization: name Organization → Acme; budget usd/month none → 1000.00; rpm none → 1000',
        '+ team Search: budget usd/month 200.00; budget tokens/day of gpt-5* 5000 (9000 until 2031-01-01T00:00:00.000Z); rpm 600; models gpt-*; tools web_search',
        '+ project Search/Ranking: rpm 100',
        '+ member Search: Mara (admin)',
        '+ member Search: jan@example.com (member)',
        '+ team Ads',
        '+ token Search/Ranking/ci: budget usd/month 10.00; expires_at 2030-12-31T00:00:00.000Z; models gpt-5; tools none; labels a, b',
        '+ token Search/laptop of jan@example.com',
        '+ token everything',
        '+ channel ops (slack)',
        '+ channel hook (webhook)',
        '+ channel mail (mail)',
        '+ rule money: budget',
        '+ provider mine: keys MINE_KEY',
        '+ route fast',
        '+ price gpt-5',
      ]);
      expect(given.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
        'token Search/Ranking/ci',
        'token Search/laptop of jan@example.com',
        'token everything',
        'channel hook',
        'person Mara',
        'person jan@example.com',
      ]);
      // A running server sees a change by the revision.
      expect(await store.revision()).toBe(before.revision + 1);
      const ci = await store.tokens.byDigest(parts.digests.of(given[0]?.secret ?? ''));
      expect(ci?.terms).toMatchObject({ name: 'ci', budget: { limitNano: 10_000_000_000n, period: 'month' } });
      const { items } = await store.audit.list({ action: 'token-create' }, { limit: 10 });
      expect(items.map(({ accountName }) => accountName)).toEqual(Array(3).fill('weir apply (test)'));
      const mara = await store.accounts.byName(nameKeyOf('mara'));
      expect(mara?.account).toMatchObject({ role: 'owner', mustChangePassword: true });
      expect(await parts.passwords.verify(given[4]?.secret ?? '', mara?.passwordHash)).toBe(true);
      for (const name of Object.keys(environment)) delete environment[name];
      expect(await run(organization)).toEqual({ state: 'planned', lines: [], unnamed: new Map() });
      expect(await run(organization, { prune: true })).toMatchObject({ lines: [] });
    });

    test('changes keep ids and what was spent; the diff names each field', async () => {
      await run(organization);
      const before = await everything();
      const changed = organization
        .replace('limit: "200"', 'limit: "300"')
        .replace('rpm: 100 ', 'concurrency: 2 ')
        .replace('budget_usd: "10"', 'budget_usd: "20"')
        .replace('Mara: admin', 'mara: viewer')
        .replace('output: 10', 'output: 12')
        .replace('a@example.com]', 'b@example.com]')
        .replace('channels: [ops, mail]', 'channels: [mail], severity_min: warning');
      expect(linesOf(await run(changed))).toEqual([
        '~ team Search: budget usd/month 200.00 → 300.00',
        '~ project Search/Ranking: rpm 100 → none; concurrency none → 2',
        '~ member Search: Mara admin → viewer',
        '~ token Search/Ranking/ci: budget usd/month 10.00 → 20.00',
        '~ channel mail: to a@example.com → b@example.com',
        '~ rule money: severity_min info → warning; channels ops, mail → mail',
        '~ price gpt-5: output',
      ]);
      const { units, tokens } = await everything();
      expect(units.map(({ id }) => id)).toEqual(before.units.map(({ id }) => id));
      expect(tokens.map(({ id }) => id)).toEqual(before.tokens.map(({ id }) => id));
      const search = units.find(({ name }) => name === 'Search');
      expect(search?.terms.budgets?.map(({ id, limit }) => [id, limit])).toEqual([
        ['b1', 300_000_000_000n],
        ['b2', 5000n],
      ]);
      // What is not written is not changed: only terms that are there are exactly these.
      expect(linesOf(await run('teams: { Search: {} }\ntokens: [{ name: everything }]'))).toEqual([]);
    });

    test('terms for end users and further budgets of a token are made, changed with what was spent, and exported', async () => {
      const file = (perDay: string, more = '') => `
teams:
  Search: { terms: { end_users: { budgets: [{ unit: usd, limit: "${perDay}", period: day }], max: 50 } } }
tokens:
  - name: two
    team: Search
    terms:
      budget_usd: "10"
      budgets: [{ unit: usd, limit: "7", period: total }, { unit: requests, limit: ${perDay}0, period: day }]
      end_users: {${more}}
`;
      expect(linesOf(await run(file('1')))).toEqual([
        '+ team Search: end_users budget usd/day 1.00; end_users max 50',
        '+ token Search/two: budget usd/total 10.00; further budget usd/total 7.00; further budget requests/day 10; end_users no limits',
      ]);
      expect(linesOf(await run(file('1')))).toEqual([]);
      expect(linesOf(await run(file('2', 'rpm: 5')))).toEqual([
        '~ team Search: end_users budget usd/day 1.00 → 2.00',
        '~ token Search/two: further budget requests/day 10 → 20; end_users no limits → none; end_users rpm none → 5',
      ]);
      const { units, tokens } = await everything();
      const budgetsOf = units.find(({ name }) => name === 'Search')?.terms.endUsers?.budgets;
      expect(budgetsOf?.map(({ id, limit }) => [id, limit])).toEqual([['b1', 2_000_000_000n]]);
      const two = tokens.find(({ terms }) => terms.name === 'two')?.terms;
      expect(two?.budgets?.map(({ id, limit }) => [id, limit])).toEqual([
        ['b1', 7_000_000_000n],
        ['b2', 20n],
      ]);
      const text = await exported(parts);
      expect(text).toContain('end_users:');
      expect(linesOf(await run(text, { prune: true }))).toEqual([]);
      expect(linesOf(await run('teams: { Search: { terms: {} } }'))).toEqual([
        '~ team Search: end_users budget usd/day 2.00 → none; end_users max 50 → none',
      ]);
      const wrong = file('x').replace('max: 50', 'maximum: 50');
      expect(mistakesOf(await run(wrong)).map((mistake) => mistake.split(': ')[0])).toEqual([
        '3 teams.Search.terms.end_users.budgets[0].limit',
        '3 teams.Search.terms.end_users.maximum',
        '9 tokens[0].terms.budgets[1].limit',
      ]);
    });

    test('an export has no secret, changes nothing, and makes the same on another database', async () => {
      await run(organization);
      const text = await exported(parts);
      for (const { secret } of given) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/sk-mine|abcdef|whsec|secret-path/);
      expect(await exported(parts)).toBe(text);
      for (const name of Object.keys(environment)) delete environment[name];
      expect(await run(text, { prune: true })).toEqual({ state: 'planned', lines: [], unnamed: new Map() });
      const others = {
        ...{ MINE_API_KEY: 'sk-other', OPS_URL: 'https://a.example', HOOK_URL: 'https://b.example' },
        HOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
      };
      const second = await engine.place();
      const other = await second.open(() => now);
      const elsewhere = {
        ...parts,
        store: other,
        sources: { ...parts.sources, environment: others },
      };
      const fitting = text.replace('"(hidden)"', '"Bearer of the other"');
      const outcome = await applyOrgFile(elsewhere, fitting, {
        isPruning: false,
        isDryRun: false,
        give: () => undefined,
      });
      expect(mistakesOf(outcome)).toEqual([]);
      expect(await exported(elsewhere)).toBe(text);
      await second.dispose();
    });

    test('--prune removes what the sections of the file do not name, and no owner', async () => {
      await run(organization);
      const less = `
people: { nadia: { role: admin } }
teams:
  Search:
    members: { Mara: admin }
    projects: {}
tokens: [{ name: everything }]
models: {}
alerts: { channels: { mail: { kind: mail, to: [a@example.com] } }, rules: {} }
`;
      const unnamed = { person: 2, team: 1, project: 1, member: 1, token: 2, channel: 2, rule: 1, route: 1 };
      expect((await run(less, { dryRun: true })) as object).toMatchObject({
        unnamed: new Map(Object.entries(unnamed)),
      });
      expect(linesOf(await run(less, { prune: true })).toSorted()).toEqual([
        '+ person nadia (admin)',
        '- channel hook',
        '- channel ops',
        '- member Search: jan@example.com',
        '- person jan@example.com (the account is disabled)',
        '- project Search/Ranking',
        '- route fast',
        '- rule money',
        '- team Ads',
        '- token Search/Ranking/ci (revoked)',
        '- token Search/laptop of jan@example.com (revoked)',
      ]);
      const { units, tokens, people, entries, members } = await everything();
      expect(units.map(({ name }) => name)).toEqual(['Acme', 'Search']);
      expect(tokens.map(({ terms }) => terms.name)).toEqual(['everything']);
      expect(members).toHaveLength(1);
      expect(entries.map(({ section }) => section)).toEqual(['providers', 'prices']);
      expect(people.filter(({ disabledAtMs }) => disabledAtMs !== undefined).map(({ name }) => name)).toEqual([
        'jan@example.com',
      ]);
      // Mara is the owner: not in the file, and still there.
      expect(await run(less, { prune: true })).toMatchObject({ lines: [], unnamed: new Map([['person', 1]]) });
    });

    test('a team with tokens is not removed while the file has no tokens', async () => {
      await run(organization);
      const before = await everything();
      expect(mistakesOf(await run('teams: {}', { prune: true }))).toEqual([
        '1 teams.Ranking: is not in the file and has a token. Name it, or add the section tokens: --prune then revokes those that it does not name',
        '1 teams.Search: is not in the file and has a token. Name it, or add the section tokens: --prune then revokes those that it does not name',
      ]);
      expect(await everything()).toEqual(before);
    });

    test('every mistake is reported with its key and line, and nothing is changed', async () => {
      await run(organization);
      const before = await everything();
      const wrong = `teams:
  Search:
    terms:
      rpm: 2000
      budgets:
        - unit: usd
          limit: "5000"
          period: month
        - { unit: usd, limit: many, period: day }
    members:
      mra: admin
      jan@example.com: boss
    projects:
      Ranking:
        terms: { rmp: 5 }
  search: {}
tokens:
  - name: ci
    team: Serch
  - name: new
    team: Search
    terms:
      models: [claude-5]
      expires_at: 2020-01-01
      budget_period: day
  - name: everything
  - name: everything
people:
  Mara: { role: member }
providers:
  mine: { kind: openai-chat, base_url: https://else.example.com/v1, key: sk-secret }
  next: { kind: openai-chat, base_url: https://next.example.com/v1, key_env: NOT_THERE }
  last: { kind: opnai, key_env: MINE_KEY }
models:
  fast:
    targets:
      - { provider: nothing, model: x }
prices:
  gpt-5: { input: -1 }
team: {}
alerts:
  channels:
    ops: { kind: mail, to: [a@example.com] }
    new: { kind: slack, url_env: ABSENT }
  rules:
    money: { kinds: [budgets], channels: [] }
    other: { kinds: [budget], channels: [opps], quiet: { time_zone: Nowhere, from: "22:00", to: "07:00" } }
`;
      const found = mistakesOf(await run(wrong));
      expect(found.map((text) => text.replace(/(.*?: .{0,60}).*/, '$1'))).toEqual([
        '9 teams.Search.terms.budgets[1].limit: must be an amount above 0 such as 5 or "0.25", with at most ',
        '11 teams.Search.members.mra: is not a person; did you mean Mara? Name them under people f',
        '12 teams.Search.members.jan@example.com: must be one of viewer, member, admin',
        '15 teams.Search.projects.Ranking.terms.rmp: is not a known key; did you mean rpm? Known: budgets, rpm, t',
        '16 teams.search: has the name of Search: upper and lower case do not count',
        '19 tokens[0].team: is not a team; did you mean search?',
        '24 tokens[1].terms.expires_at: must be in the future',
        '25 tokens[1].terms.budget_period: needs a budget',
        '27 tokens[3].name: is the name of another token of the same team and owner',
        '29 people.Mara.role: is the last owner; name another owner first',
        '31 providers.mine.key: must not be in this file; name its variable with key_env, or',
        '32 providers.next.key_env: names a variable that is not set, and the provider has no ke',
        '33 providers.last.kind: found "opnai"; allowed: a preset of docs/providers.md, or a ',
        '37 models.fast.targets[0].provider: found "nothing"; allowed: one of mine, sandbox, ollama, lm-s',
        '39 prices.gpt-5.input: found -1; allowed: USD per million tokens, a number from 0 t',
        '39 prices.gpt-5: found a map; allowed: a map with input and output, or with o',
        '40 team: is not a known key; did you mean teams? Known: organization,',
        '43 alerts.channels.ops.kind: is slack already and cannot change; use another name',
        '44 alerts.channels.new.url_env: is not set or cannot be read, and the channel has no url yet',
        '46 alerts.rules.money.kinds[0]: must be one of budget, unusual-spend, error-rate, provider-d',
        '47 alerts.rules.other.channels[0]: is not a channel; did you mean ops?',
        '47 alerts.rules.other.quiet.time_zone: must be the name of a time zone, such as Europe/Berlin',
      ]);
      expect(await everything()).toEqual(before);
    });

    test('a limit above that of its team or the organization is a mistake where the file sets it', async () => {
      await run(organization);
      const above = `teams:
  Search:
    terms:
      rpm: 2000
      budgets:
        - { unit: usd, limit: "900", period: month }
        - { unit: usd, limit: "1200", period: month, id: b9 }
    projects:
      Ranking: { terms: { rpm: 3000, models: [claude-5] } }
tokens:
  - name: t
    team: Ads
    terms: { rpm: 1001, budget_usd: 1, budget_period: month }
  - { name: ci, team: Search, project: Ranking, terms: { rpm: 4000 } }
`;
      expect(mistakesOf(await run(above))).toEqual([
        '4 teams.Search.terms.rpm: must be at most 1000, the limit of the organization',
        '7 teams.Search.terms.budgets[1].limit: must be at most 1000.00, the budget per month of the organization',
        '9 teams.Search.projects.Ranking.terms.rpm: must be at most 2000, the limit of the team Search',
        '13 tokens[0].terms.rpm: must be at most 1000, the limit of the organization',
        '14 tokens[1].terms.rpm: must be at most 3000, the limit of the project Ranking',
      ]);
    });

    test('text that is no YAML, keys that are written twice, and other shapes name their line', async () => {
      expect(mistakesOf(await run('teams:\n  a: {}\n  b: [\n'))[0]).toMatch(/^3 : is not YAML: /);
      expect(mistakesOf(await run('teams:\n  a: {}\n  a: {}\npeople: [x]\ntokens: {}\n'))).toEqual([
        '3 teams.a: is written twice',
        '4 people: must be a map of names',
        '5 tokens: must be a list, each entry with a name',
      ]);
      expect(mistakesOf(await run('- a'))).toEqual([expect.stringMatching(/^1 : must be one map of organization, /)]);
      expect(await run('')).toMatchObject({ state: 'planned', lines: [] });
    });

    test('tokens of one name need an id, which an export writes', async () => {
      await run('tokens: [{ name: twin }]');
      const [first] = (await store.changeSets.read()).tokens;
      const terms = { name: 'twin', rpm: 5 };
      await store.tokens.insert({ id: 'tok_second', digest: 'digest', hint: 'hint', terms, createdAtMs: now });
      expect(mistakesOf(await run('tokens: [{ name: twin }]'))).toEqual([
        `1 tokens[0].name: is the name of several tokens. Add the id of the one that is meant: ${first?.id}, tok_second`,
      ]);
      const text = await exported(parts);
      expect(text).toContain('id: tok_second');
      expect(await run(text, { prune: true })).toMatchObject({ lines: [], unnamed: new Map() });
      expect(linesOf(await run('tokens: [{ name: twin, id: tok_second, terms: { rpm: 6 } }]'))).toEqual([
        '~ token twin: rpm 5 → 6',
      ]);
    });

    test('a change by others in between is planned again; a write that fails leaves nothing', async () => {
      let writes = 0;
      const racing: ApplyParts['store'] = {
        configuration: store.configuration,
        alerts: store.alerts,
        changeSets: {
          read: () => store.changeSets.read(),
          async write(set) {
            if (writes++ === 0) {
              const unit = { id: 'team_x', kind: 'team' as const, parentId: 'org', terms: {}, createdAtMs: now };
              await store.organization.insert({ ...unit, name: 'Search', nameKey: 'search' });
            }
            return store.changeSets.write(set);
          },
        },
      };
      const options = { isPruning: false, isDryRun: false, give: () => undefined };
      const outcome = await applyOrgFile(
        { ...parts, store: racing },
        'teams: { Search: { terms: { rpm: 5 } } }',
        options,
      );
      expect([linesOf(outcome), writes]).toEqual([['~ team Search: rpm none → 5'], 2]);
      const failing: ApplyParts['store'] = {
        ...racing,
        changeSets: {
          ...racing.changeSets,
          write: (set) => store.changeSets.write({ ...set, audit: [...set.audit, ...set.audit] }),
        },
      };
      const before = await everything();
      const failed = applyOrgFile({ ...parts, store: failing }, organization, options);
      expect(await failed.then(String, () => 'failed')).toBe('failed');
      expect(await everything()).toEqual(before);
    });

    test('200 teams and 2,000 tokens take few statements, and nothing the second time', async () => {
      const sets: ChangeSet[] = [];
      const watched: ApplyParts['store'] = {
        configuration: store.configuration,
        alerts: store.alerts,
        changeSets: {
          read: () => store.changeSets.read(),
          write(set) {
            sets.push(set);
            return store.changeSets.write(set);
          },
        },
      };
      const teams = Array.from({ length: 200 }, (_, at) => [`team ${at}`, { terms: { rpm: 10 + at } }]);
      const tokens = (rpm: number) =>
        Array.from({ length: 2_000 }, (_, at) => ({ name: `t${at}`, team: `Team ${at % 200}`, terms: { rpm } }));
      const text = (rpm: number) => JSON.stringify({ teams: Object.fromEntries(teams), tokens: tokens(rpm) });
      const options = { isPruning: true, isDryRun: false, give: () => undefined };
      for (const rpm of [5, 6]) {
        const outcome = await applyOrgFile({ ...parts, store: watched }, text(rpm), options);
        expect(linesOf(outcome)).toHaveLength(rpm === 5 ? 2_200 : 2_000);
      }
      expect(await applyOrgFile({ ...parts, store: watched }, text(6), options)).toMatchObject({ lines: [] });
      expect((await store.changeSets.read()).tokens.filter(({ terms }) => terms.rpm === 6)).toHaveLength(2_000);
      // 2 of units, 20 of tokens, 22 of the audit log, and the revision; then 20, 20 and the revision.
      expect(sets.map(statementsOf)).toEqual([45, 41]);
    });
  });
}

/** How many statements a change takes. */
function statementsOf({ units, tokens, tokenChanges, ...set }: ChangeSet): number {
  const steps = writeChangeSet.steps({
    ...set,
    accountTerms: [],
    units: units.map((unit) => ({ ...unit, parentId: unit.parentId ?? '', terms: '{}' })),
    tokens: tokens.map((token) => ({ ...token, name: token.terms.name, terms: '{}' })),
    tokenChanges: tokenChanges.map(({ id, terms }) => ({ id, name: terms.name, terms: '{}' })),
  });
  let count = 0;
  for (let next = steps.next([]); next.done !== true; next = steps.next([[1]])) count++;
  return count;
}
