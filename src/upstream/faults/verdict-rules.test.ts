import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { AttemptFailure, verdictOfStatus, verdictOfThrow } from './verdict.ts';
import { ruleOf, type VerdictKind, verdictRules } from './verdict-rules.ts';

const kinds = Object.keys(verdictRules) as VerdictKind[];

test('docs/routing.md shows every verdict with its rule', () => {
  const shown = readFileSync('docs/routing.md', 'utf8').split('\n');
  const start = shown.findIndex((line) => line.startsWith('| verdict |'));
  const rows = shown.slice(start + 2, start + 2 + kinds.length);
  expect(rows).toEqual(
    kinds.map((kind) => {
      const { next, cools, counts, charge, fails, meaning } = ruleOf(kind);
      const cells = [next, cools, counts].map((who) => (who === 'none' ? '–' : who)).join(' | ');
      const cost = charge === 'never' ? 'no' : 'possibly';
      return `| \`${kind}\` | ${cells} | ${cost} | ${fails ? 'yes' : 'no'} | ${meaning} |`;
    }),
  );
});

test('what may have been billed is tried once more at most, and nothing else may have been', () => {
  for (const kind of kinds)
    expect([kind, ruleOf(kind).charge === 'possible']).toEqual([kind, ruleOf(kind).next === 'once']);
});

test('a key or target that cools down or has a failure counted is not retried for the same request', () => {
  for (const kind of kinds) {
    const { next, cools, counts } = ruleOf(kind);
    if (cools === 'key' || counts === 'key' || counts === 'probe') expect([kind, next]).toEqual([kind, 'key']);
    if (cools === 'target' || counts === 'target')
      expect([kind, ['target', 'once'].includes(next)]).toEqual([kind, true]);
  }
});

test('a failed attempt is what the provider caused, not the client and not the request', () => {
  const failing = kinds.filter((kind) => ruleOf(kind).fails);
  expect(failing).toEqual([
    ...([
      'key-dead',
      'key-refused',
      'forbidden',
      'cannot-serve',
      'key-cooling',
      'target-cooling',
      'target-down',
      'uncertain',
    ] as const),
  ]);
  for (const kind of kinds) {
    const { cools, counts } = ruleOf(kind);
    // Whatever makes routing avoid a target or a key is a failure of it.
    if (cools !== 'none' || counts !== 'none') expect([kind, ruleOf(kind).fails]).toEqual([kind, true]);
  }
});

/** From the provider's reply, the connection or the client to what health counts. */
test('what counts as a failure, by what happened', () => {
  const scrub = (text: string) => text;
  const fault = { message: 'No.', type: undefined, code: undefined, param: undefined };
  const ofStatus = (status: number) =>
    verdictOfStatus({ status, fault, retryAfter: null, provider: 'up', scrub, nowMs: 0 }).kind;
  const counted = (kind: VerdictKind): boolean => ruleOf(kind).fails;
  for (const status of [401, 402, 403, 404, 408, 410, 429, 500, 502, 503, 504, 529]) {
    expect([status, counted(ofStatus(status))]).toEqual([status, true]);
  }
  for (const status of [400, 413, 422]) expect([status, counted(ofStatus(status))]).toEqual([status, false]);
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(counted(verdictOfThrow(refused, 'up').kind)).toBe(true);
  expect(counted(verdictOfThrow(new Error('The socket closed.'), 'up').kind)).toBe(true);
  const late = new GatewayError('upstream_timeout', 'It took too long.');
  expect(counted(verdictOfThrow(late, 'up').kind)).toBe(true);
  const left = { kind: 'limit', error: new GatewayError('client_left', 'The client left.') } as const;
  expect(counted(verdictOfThrow(new AttemptFailure({ ...left, retryAfterMs: undefined }), 'up').kind)).toBe(false);
});
