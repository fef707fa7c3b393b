/** What an attempt that ended early costs: nothing only where nothing was sent or the provider answered with its own error. */

import { describe, expect, test } from 'bun:test';
import { type ErrorCode, errorTable } from '../../conversation/error-table.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import { WrittenText } from '../../conversation/texts/written-text.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import { costOf } from '../../ledger/cost.ts';
import type { Price, Rate } from '../../prices/price.ts';
import { Health } from '../../routing/health.ts';
import { type Verdict, verdictOfFault, verdictOfStatus, verdictOfThrow } from '../../upstream/faults/verdict.ts';
import { type VerdictKind, verdictRules } from '../../upstream/faults/verdict-rules.ts';
import { FrameTooLargeError } from '../../upstream/frame-reader.ts';
import { ReplyTooLargeError, UnsentError } from '../../upstream/transport.ts';
import type { CallFacts } from '../admission/call.ts';
import { PriceBounds } from '../cost-bounds/price-bounds.ts';
import { clientLeft, overdue, timedOut } from './abort-reasons.ts';
import { endedUse, isOwed, type ReplyProgress, tokensPerSecondAssumed, unreadBytes } from './ended-use.ts';

const codes = Object.keys(errorTable) as ErrorCode[];
const kinds = Object.keys(verdictRules) as VerdictKind[];

/** Every error in every verdict: what a later version throws is among them. */
const verdicts: readonly Verdict[] = codes.flatMap((code) =>
  kinds.map((kind): Verdict => ({ kind, error: new GatewayError(code, 'why'), retryAfterMs: undefined })),
);

describe('an attempt that was sent', () => {
  test('is owed whatever ended it', () => {
    const free = verdicts.filter((verdict) => !isOwed({ sent: true, status: undefined, verdict }));
    // The one failure after which nothing was received: a connection that was opened again, and could not be.
    expect(new Set(free.map(({ kind, error }) => `${kind} ${error.row.cost}`))).toEqual(new Set(['target-down never']));
  });

  test('is free where the provider answered with an error of its own', () => {
    for (const verdict of verdicts) {
      expect(isOwed({ sent: true, status: undefined, verdict: { ...verdict, answered: true } })).toBe(false);
      for (const status of [304, 400, 408, 429, 500, 504, 529])
        expect(isOwed({ sent: true, status, verdict })).toBe(false);
    }
  });

  test('is owed after each end that Weir makes, and free after each error that a provider sends', () => {
    const clocks = { headTimeoutMs: 1, totalTimeoutMs: 5, idleTimeoutMs: 1 };
    const target = { provider: { name: 'p' }, firstEventTimeoutMs: 3 } as Parameters<typeof overdue>[1];
    const none = { elapsedMs: 0, hasHead: true, hasEvent: true, isStuck: false };
    const own = [
      overdue(clocks, target, { ...none, elapsedMs: 2, hasHead: false }),
      overdue(clocks, target, { ...none, elapsedMs: 4, hasEvent: false }),
      overdue(clocks, target, { ...none, elapsedMs: 6 }),
      overdue(clocks, target, { ...none, isStuck: true }),
      timedOut('idle'),
      clientLeft(),
      verdictOfThrow(new ReplyTooLargeError(1), 'p'),
      verdictOfThrow(new FrameTooLargeError(1), 'p'),
      verdictOfThrow(new Error('reset'), 'p'),
      verdictOfThrow(undefined, 'p'),
    ];
    for (const verdict of own) expect(verdict && isOwed({ sent: true, status: 200, verdict })).toBe(true);
    const scrub = (text: string) => text;
    const sent = { fault: undefined, retryAfter: null, provider: 'p', scrub, nowMs: 0 };
    const unsettled = [408, 409];
    for (const status of unsettled)
      expect(isOwed({ sent: true, status, verdict: verdictOfStatus({ ...sent, status }) })).toBe(true);
    const statuses = Array.from({ length: 300 }, (_, index) => 300 + index).filter(
      (status) => !unsettled.includes(status),
    );
    for (const verdict of [
      ...statuses.map((status) => verdictOfStatus({ ...sent, status })),
      ...['rate_limit_exceeded', 'server_error', 'overloaded_error', undefined].map((type) =>
        verdictOfFault({ message: 'no', type, code: undefined, param: undefined }, 'p', scrub),
      ),
      verdictOfThrow(new UnsentError('ECONNREFUSED', 'refused'), 'p'),
    ])
      expect(isOwed({ sent: true, status: 200, verdict })).toBe(false);
  });
});

test('an attempt that was not sent is free', () => {
  for (const verdict of verdicts) expect(isOwed({ sent: false, status: undefined, verdict })).toBe(false);
});

/** A thousandth of a dollar for a token. */
const rate: Rate = { nanoPerMillion: 1_000_000_000_000n, tiers: [] };
const price: Price = { input: rate, output: rate, version: 'test' };
const facts: CallFacts = { model: 'm', stream: false, candidates: 1, inputTokensMax: 400, outputTokensMax: 10_000 };

interface Given {
  readonly facts?: Partial<CallFacts>;
  readonly progress?: Partial<ReplyProgress> & { readonly text?: string };
  readonly elapsedMs?: number;
  readonly tokensPerSecond?: number;
  readonly bytesRead?: number;
}

function ended({ facts: more, progress, elapsedMs = 0, tokensPerSecond, bytesRead = 0 }: Given) {
  const own = { ...facts, ...more };
  const written = new WrittenText();
  written.add(progress?.text ?? '');
  return endedUse({
    charge: (usage) => ({ units: undefined, costNano: costOf(price, usage) }),
    bounds: new PriceBounds(price, own, undefined),
    call: { facts: own, repeatable: true },
    isOwed: true,
    progress: progress && { usage: unknownUsage, usageIsFinal: true, ...progress, written },
    elapsedMs,
    tokensPerSecond,
    bytesRead,
    countTokens: async (text) => text.length,
  });
}

describe('what a conversation is charged', () => {
  const outputOf = async (given: Given) => (await ended(given)).usage.output.total;

  test('before anything was read follows the time and the speed of the target, from the likely output to the bound', async () => {
    expect(await outputOf({ elapsedMs: 1_000 })).toBe(1_000);
    expect(await outputOf({ elapsedMs: 30_000 })).toBe(30 * tokensPerSecondAssumed);
    expect(await outputOf({ elapsedMs: 30_000, tokensPerSecond: 250 })).toBe(7_500);
    expect(await outputOf({ elapsedMs: 300_000, tokensPerSecond: 250 })).toBe(10_000);
    expect(await outputOf({ elapsedMs: 30_000, tokensPerSecond: 50, facts: { candidates: 3 } })).toBe(4_500);
    expect(await outputOf({ facts: { outputTokensMax: 20 } })).toBe(20);
  });

  test('is what was read, in bytes where no more is known of them, within the bound', async () => {
    expect(await outputOf({ bytesRead: 20_000 })).toBe(5_000);
    expect(await outputOf({ bytesRead: 20_000_000 })).toBe(10_000);
    expect(await outputOf({ progress: { text: 'abc' }, elapsedMs: 60_000 })).toBe(3);
    expect(await outputOf({ progress: { text: 'abc' }, bytesRead: 400 })).toBe(103);
    const cause = { error: new GatewayError('upstream_failed', 'large', { cause: new ReplyTooLargeError(77) }) };
    expect(unreadBytes(cause)).toBe(77);
  });

  test('is the reported usage where it came, exactly', async () => {
    const usage: Usage = { input: { total: 7 }, output: { total: 9 } };
    expect(await ended({ progress: { usage } })).toMatchObject({ usage, estimated: false, costNano: 16_000_000n });
    const started = await ended({ progress: { usage: { input: { total: 7 }, output: {} } }, elapsedMs: 20_000 });
    expect(started).toMatchObject({ usage: { input: { total: 7 }, output: { total: 2_000 } }, estimated: true });
  });
});

test('the speed of a target is smoothed, and a reply that came at once says nothing', () => {
  const health = new Health();
  health.wrote(1_000, 99);
  expect(health.tokensPerSecond).toBeUndefined();
  health.wrote(1_000, 10_000);
  health.wrote(2_000, 10_000);
  expect(health.tokensPerSecond).toBeCloseTo(120);
});
