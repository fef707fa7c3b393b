import { describe, expect, test } from 'bun:test';
import type { Caller, Level, TokenRecord, TokenTerms } from './caller.ts';
import { callerOf } from './levels/caller-of.ts';
import { createEndUsers } from './levels/end-users.ts';
import type { LevelBudget, LevelTerms } from './organization.ts';
import { levelRefusing, mayUseTool, termTable } from './terms.ts';

type Term = keyof typeof termTable;

interface Sample {
  /** Less than a token without it has, or than one that has `most`. */
  readonly less: Partial<TokenTerms>;
  /** The same term, as a smaller token would have it that wants more. */
  readonly most?: Partial<TokenTerms>;
  /** Whether the caller is held to what the token `creator` has. */
  isHeld(caller: Caller): boolean;
}

const budget: LevelBudget = { id: 'b1', unit: 'usd', limit: 5n, period: 'day' };
const limitOf = ({ limits }: Caller) => limits.find(({ id }) => id === 'creator');
const budgetsOf = ({ levels }: Caller) => levels.find(({ id }) => id === 'creator')?.terms.budgets?.map(({ id }) => id);

/** One for each row of the table: a new row does not compile without. */
const samples: Readonly<Record<Term, Sample>> = {
  models: {
    less: { models: ['a*'] },
    most: { models: ['*'] },
    isHeld: ({ mayUseModel }) => mayUseModel('a1') && !mayUseModel('b'),
  },
  endpoints: {
    less: { endpoints: ['chat'] },
    most: { endpoints: ['chat', 'speech'] },
    isHeld: ({ mayUseEndpoint }) => mayUseEndpoint('chat') && !mayUseEndpoint('speech'),
  },
  addresses: {
    less: { addresses: ['10.9.9.0/24'] },
    most: { addresses: ['0.0.0.0/0'] },
    isHeld: ({ mayCallFrom }) => mayCallFrom?.('10.9.9.1') === true && !mayCallFrom('10.9.8.1'),
  },
  tools: {
    less: { tools: ['web_*'] },
    most: { tools: ['*'] },
    isHeld: (caller) => mayUseTool(caller, 'web_search') === 'yes' && mayUseTool(caller, 'computer') === 'no',
  },
  rpm: { less: { rpm: 5 }, most: { rpm: 9 }, isHeld: (caller) => limitOf(caller)?.rpm === 5 },
  tpm: { less: { tpm: 5 }, most: { tpm: 9 }, isHeld: (caller) => limitOf(caller)?.tpm === 5 },
  concurrency: {
    less: { concurrency: 5 },
    most: { concurrency: 9 },
    isHeld: (caller) => limitOf(caller)?.concurrency === 5,
  },
  budgets: {
    less: { budget: { limitNano: 5n, period: 'day' }, budgets: [budget] },
    most: { budgets: [{ ...budget, limit: 9n }] },
    isHeld: (caller) => Bun.deepEquals(budgetsOf(caller), ['', 'b1']),
  },
  budgetsMade: {
    less: { budgets: [budget], budgetsMade: 1 },
    most: { budgetsMade: 9 },
    isHeld: (caller) => Bun.deepEquals(budgetsOf(caller), ['b1']),
  },
  endUsers: { less: { endUsers: { rpm: 5 } }, isHeld: ({ endUsers }) => endUsers?.scopeId === 'creator' },
  labels: {
    less: { labels: ['eu'] },
    most: { labels: ['vip'] },
    isHeld: ({ labels, terms }) => Bun.deepEquals([labels, terms.labels], [['eu'], ['eu']]),
  },
  disabled: { less: { disabled: true }, most: { disabled: false }, isHeld: ({ terms }) => terms.disabled === true },
  expiresAtMs: { less: { expiresAtMs: 5 }, most: { expiresAtMs: 9 }, isHeld: ({ expiresAtMs }) => expiresAtMs === 5 },
  strict: { less: { strict: true }, most: { strict: false }, isHeld: ({ strict }) => strict },
  moderation: {
    less: { moderation: { before: true, model: 'm' } },
    most: { moderation: { after: true, model: 'laxer' } },
    isHeld: ({ terms: { moderation } }) => moderation?.before === true && moderation.model === 'm',
  },
  maySteer: { less: {}, most: { maySteer: true }, isHeld: ({ terms }) => terms.maySteer === undefined },
  mayExplain: { less: {}, most: { mayExplain: true }, isHeld: ({ terms }) => terms.mayExplain === undefined },
  subTokensMax: {
    less: { subTokensMax: 1 },
    most: { subTokensMax: 9 },
    isHeld: ({ terms: { subTokensMax = 0 } }) => subTokensMax <= 1,
  },
};

const record = (id: string, terms: Partial<TokenTerms> = {}): TokenRecord => ({
  id,
  hint: '',
  createdAtMs: 0,
  terms: { name: id, ...terms },
});
const above = { levels: [{ kind: 'organization', id: 'org', name: 'O', terms: {} }] } as const;

/** A middle one that says nothing has all rights, so that only those of the creator are missing. */
const silent: Partial<TokenTerms> = { maySteer: true, mayExplain: true, subTokensMax: 9 };

describe.each(Object.keys(termTable) as Term[])('%s of a smaller token', (term) => {
  const { less, most = {}, isHeld } = samples[term];
  const creator = record('creator', less);

  test('are at most those of its creator, whatever it says itself', () => {
    for (const own of [{}, most]) {
      expect(isHeld(callerOf(record('child', own), { ...above, creators: [creator] }))).toBe(true);
    }
  });

  test('are at most those of every token in the chain of its creators', () => {
    for (const creators of [
      [creator, record('middle', silent)],
      [record('first', { ...silent, ...(term === 'labels' && less) }), creator],
    ]) {
      expect(isHeld(callerOf(record('child', most), { ...above, creators }))).toBe(true);
    }
  });

  test('are not held where its creator says nothing of it', () => {
    const free = record('creator', { ...silent, ...most });
    expect(isHeld(callerOf(record('child', most), { ...above, creators: [free] }))).toBe(false);
  });
});

describe('tools that providers run', () => {
  const level = (terms: LevelTerms): Level => ({ kind: 'team', id: 'team', name: 'T', terms });
  const ask = (own: Partial<TokenTerms>, team: LevelTerms = {}) =>
    ['web_search', 'computer'].map((tool) =>
      mayUseTool(callerOf(record('t', own), { levels: [level(team)], creators: [] }), tool),
    );
  const money = { budget: { limitNano: 5n, period: 'total' } } as const;

  test('are all allowed without a budget in money, and with one those whose price is known', () => {
    expect(ask({})).toEqual(['yes', 'yes']);
    expect(ask(money)).toEqual(['if-priced', 'if-priced']);
    expect(ask({}, { budgets: [budget] })).toEqual(['if-priced', 'if-priced']);
    expect(ask({}, { budgets: [{ ...budget, unit: 'requests' }] })).toEqual(['yes', 'yes']);
  });

  test('are those of the list, whether their price is known or not', () => {
    expect(ask({ ...money, tools: ['web_*'] })).toEqual(['yes', 'no']);
    expect(ask({ ...money, tools: ['*'] })).toEqual(['yes', 'yes']);
    expect(ask({ tools: [] })).toEqual(['no', 'no']);
  });

  test('are those that every level allows: a list of a token does not speak for the budget of its team', () => {
    expect(ask({ tools: ['*'] }, { budgets: [budget] })).toEqual(['if-priced', 'if-priced']);
    expect(ask({ tools: ['*'] }, { budgets: [budget], tools: ['web_search'] })).toEqual(['yes', 'no']);
    expect(ask(money, { budgets: [budget], tools: ['*'] })).toEqual(['if-priced', 'if-priced']);
    const caller = callerOf(record('t', { tools: ['*'] }), { levels: [level({ tools: [] })], creators: [] });
    expect(levelRefusing(caller.levels, 'tools', 'web_search')?.id).toBe('team');
  });

  test('of an end user are decided by the level whose end users they are', async () => {
    const table = {
      meet: async () => ({ terms: undefined, isBlocked: false }),
      seen: async () => undefined,
    };
    const users = createEndUsers({ table, wallMs: () => 0 });
    const asked = async (tools?: readonly string[]) => {
      const caller = callerOf(record('t', { endUsers: { budgets: [budget] }, ...(tools && { tools }) }));
      const user = caller.endUsers && (await users.callerFor(caller, caller.endUsers, `u${tools?.length}`));
      return user && mayUseTool(user, 'web_search');
    };
    expect([await asked(), await asked(['*'])]).toEqual(['if-priced', 'yes']);
  });
});
