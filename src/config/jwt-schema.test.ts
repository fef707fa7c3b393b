/** Issuers of JSON Web Tokens as the file writes them: defaults, and mistakes with their place. */

import { expect, test } from 'bun:test';
import { loadConfig } from './load.ts';
import { ConfigError } from './problem.ts';

const load = (issuer: object) =>
  loadConfig({
    environment: { WEIR_DISCOVERY_LOCAL: 'false' },
    readFile: (path) => (path.endsWith('weir.yaml') ? JSON.stringify({ jwt: { issuers: { ci: issuer } } }) : undefined),
    workingFolder: '/work',
  }).jwt.issuers[0];
const faults = (issuer: object): string => {
  try {
    load(issuer);
    return 'none';
  } catch (error) {
    return error instanceof ConfigError ? error.message : String(error);
  }
};
const least = { issuer: 'https://id.example', audiences: ['weir'], rules: [{}] };

test('an issuer needs a URL, an audience and a rule; the rest has defaults', () => {
  expect(load(least)).toMatchObject({
    ...{ name: 'ci', issuer: 'https://id.example', audiences: ['weir'], jwksUrl: undefined, subjectClaim: 'sub' },
    ...{ rules: [{ match: {} }], maxLifetimeS: 86_400, clockSkewS: 60, subjectsMax: 10_000 },
  });
  for (const key of ['issuer', 'audiences', 'rules']) {
    expect(faults({ ...least, [key]: undefined })).toContain(`jwt.issuers.ci.${key}`);
  }
});

test('a rule has patterns as texts, and limits as whole numbers of the ledger', () => {
  const budgets = [
    { unit: 'usd', limit: '0.25', period: 'day' },
    { unit: 'tokens', limit_claim: 'quota', period: 'month', models: ['gpt-*'] },
  ];
  const rule = { match: { ref: 'refs/*', run: [1, true] }, team_claim: 'department', models_claim: 'models', budgets };
  expect(load({ ...least, rules: [rule] })?.rules).toEqual([
    {
      match: { ref: ['refs/*'], run: ['1', 'true'] },
      team: { claim: 'department' },
      models: { claim: 'models' },
      budgets: [
        { unit: 'usd', limit: 250_000_000n, period: 'day' },
        { unit: 'tokens', limit: { claim: 'quota' }, period: 'month', models: ['gpt-*'] },
      ],
    },
  ]);
});

test('what would open too much is refused', () => {
  expect(faults({ ...least, algorithms: ['HS256'] })).toContain('RS256');
  expect(faults({ ...least, algorithms: ['none'] })).toContain('RS256');
  expect(faults({ ...least, audiences: [] })).toContain('audiences');
  expect(faults({ ...least, rules: [] })).toContain('one rule or more');
  expect(faults({ ...least, issuer: 'http://id.example' })).toContain('https');
  expect(faults({ ...least, rules: [{ models: ['a'], models_claim: 'b' }] })).toContain('not both');
  expect(faults({ ...least, rules: [{ project: 'x' }] })).toContain('team');
  expect(faults({ ...least, rules: [{ budgets: [{ unit: 'usd', limit: 0, period: 'day' }] }] })).toContain('above 0');
  expect(faults({ ...least, rules: [{ endpoint: ['chat'] }] })).toContain('did you mean endpoints');
});
