import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { type ScriptedProvider, scriptedRoute } from '../../../test/harness/scripted-targets.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Target } from '../../routing/catalogue.ts';
import { KeyRing } from '../../routing/keys.ts';
import type { Verdict } from '../../upstream/faults/verdict.ts';
import type { VerdictKind } from '../../upstream/faults/verdict-rules.ts';
import { type Candidate, CandidateWalk, type WalkParts } from './candidate-walk.ts';
import { RetryBudget } from './retry-budget.ts';

class Clock {
  nowMs = 1_000;
}

function setUp(homes: readonly (ScriptedProvider & { readonly tier?: number })[], given: Partial<WalkParts> = {}) {
  const clock = new Clock();
  const { targets } = scriptedRoute(homes);
  const parts: WalkParts = {
    keys: new KeyRing(),
    retries: new RetryBudget({ retryPercentMax: 100 }),
    limits: { attemptsMax: 10 },
    clocks: { patienceMs: 0, attemptsTimeoutMs: 60_000 },
    nowMs: () => clock.nowMs,
    random: () => 0,
    ...given,
  };
  const walk = (
    more: {
      readonly repeatable?: boolean;
      readonly converses?: boolean;
      readonly hasLeft?: () => boolean;
      readonly inputUnbounded?: string;
    } = {},
  ) =>
    new CandidateWalk(
      parts,
      targets,
      {
        repeatable: more.repeatable ?? true,
        converses: more.converses ?? false,
        startedAtMs: clock.nowMs,
        hasLeft: more.hasLeft ?? (() => false),
        facts: { model: 'x', inputUnbounded: more.inputUnbounded },
      },
      [],
    );
  return { clock, targets, parts, walk };
}

const verdict = (kind: VerdictKind, retryAfterMs?: number): Verdict => ({
  kind,
  error: new GatewayError(kind === 'key-cooling' ? 'upstream_rate_limited' : 'provider_unavailable', kind),
  retryAfterMs,
});

const shown = ({ target, key }: Candidate): string => `${target.provider.name} ${key.id}`;

/** Every candidate in turn, each failing in this way; then the error. */
async function all(
  walk: CandidateWalk,
  kind: VerdictKind,
  retryAfterMs?: number,
): Promise<{ asked: string[]; error: GatewayError }> {
  const asked: string[] = [];
  try {
    for (;;) {
      const candidate = await walk.next();
      asked.push(shown(candidate));
      walk.failed(candidate, verdict(kind, retryAfterMs));
    }
  } catch (error) {
    if (error instanceof GatewayError) return { asked, error };
    throw error;
  }
}

const three = [{ name: 'a' }, { name: 'b' }, { name: 'c', tier: 1 }];

describe('who is asked next', () => {
  test('forbidden: one more key of the provider, then the next target, and no key is closed', async () => {
    const { walk } = setUp([
      { name: 'a', keys: ['k1', 'k2', 'k3', 'k4'] },
      { name: 'b', tier: 1 },
    ]);
    for (let round = 0; round < 10; round++) {
      const { asked, error } = await all(walk(), 'forbidden');
      expect(asked.map((each) => each.split(' ')[0])).toEqual(['a', 'a', 'b']);
      expect(new Set(asked).size).toBe(3);
      expect(error.message).toBe('forbidden');
    }
  });

  test.each([
    'target-down',
    'target-cooling',
    'unable',
  ] as const)('%s: every other target, none twice', async (kind) => {
    const { asked } = await all(setUp(three).walk(), kind);
    expect(asked.length).toBe(3);
    expect(asked[2]).toBe('c k');
  });

  test.each(['request-fault', 'content', 'limit'] as const)('%s: no other target', async (kind) => {
    const { asked, error } = await all(setUp(three).walk(), kind);
    expect([asked.length, error.message]).toEqual([1, kind]);
  });

  test('uncertain: one more, and none where a retry would be paid for twice', async () => {
    expect((await all(setUp(three).walk(), 'uncertain')).asked.length).toBe(2);
    expect((await all(setUp(three).walk({ repeatable: false }), 'uncertain')).asked.length).toBe(1);
  });

  test.each(['key-dead', 'key-cooling'] as const)('%s: the other keys first, then the next target', async (kind) => {
    const { asked } = await all(
      setUp([
        { name: 'a', keys: ['1', '2', '3'] },
        { name: 'b', tier: 1 },
      ]).walk(),
      kind,
    );
    expect(asked).toEqual(['a 1', 'a 2', 'a 3', 'b k']);
  });
});

describe('bounds', () => {
  test('attempts', async () => {
    const { walk } = setUp(three, { limits: { attemptsMax: 2 } });
    expect((await all(walk(), 'target-down')).asked.length).toBe(2);
  });

  test('targets that were not asked at all do not count', async () => {
    const { walk } = setUp(three, { limits: { attemptsMax: 2 } });
    expect((await all(walk(), 'unable')).asked.length).toBe(3);
  });

  test('time: what began late is not begun with', async () => {
    const { walk, clock } = setUp(three);
    const one = walk();
    const first = await one.next();
    clock.nowMs += 60_001;
    one.failed(first, verdict('target-down'));
    expect(() => one.next()).toThrow('target-down');
  });

  test('the share of retries, beyond a few that are free', async () => {
    const { walk } = setUp(three, { retries: new RetryBudget({ retryPercentMax: 20 }) });
    let second = 0;
    const rounds = 1_000;
    for (let round = 0; round < rounds; round++) second += (await all(walk(), 'target-cooling', 0)).asked.length - 1;
    expect(second).toBeGreaterThanOrEqual(0.2 * rounds);
    expect(second).toBeLessThanOrEqual(0.2 * rounds + 101);
  });
});

describe('what is learnt', () => {
  test('a refused key is looked into, but not because of a request that refers to something elsewhere', async () => {
    let probes = 0;
    const keys = new KeyRing(async () => {
      probes += 1;
      return 'refused';
    });
    const { walk } = setUp([{ name: 'a' }], { keys });
    for (let round = 0; round < 5; round++) {
      const { asked } = await all(walk({ inputUnbounded: 'messages[0].content[0].file.file_id' }), 'key-refused');
      expect(asked).toEqual(['a k']);
    }
    expect(probes).toBe(0);
    await all(walk(), 'key-refused');
    expect(probes).toBe(1);
    expect((await all(walk(), 'key-refused')).asked).toEqual([]);
  });

  test('a rate-limited target cools down for `retry-after`; without it, longer each time', async () => {
    const { walk, targets, clock } = setUp([{ name: 'a' }]);
    const [target] = targets as [Target];
    const fail = async (retryAfterMs?: number) => {
      const one = walk();
      one.failed(await one.next(), verdict('target-cooling', retryAfterMs));
      const waitMs = target.health.coolsUntilMs - clock.nowMs;
      clock.nowMs = target.health.coolsUntilMs;
      return waitMs;
    };
    expect(await fail(7_000)).toBe(7_000);
    expect([await fail(), await fail(), await fail()]).toEqual([1_000, 2_000, 4_000]);
    target.health.succeeded(target.health.enter(clock.nowMs), clock.nowMs);
    expect(await fail()).toBe(1_000);
  });

  test('a key that cools leaves the others of its provider alone', async () => {
    const { walk } = setUp([{ name: 'a', keys: ['1', '2'] }]);
    const one = walk();
    one.failed(await one.next(), verdict('key-cooling', 5_000));
    for (let round = 0; round < 4; round++) expect(shown(await walk().next())).toBe('a 2');
  });

  test('a dead key is tried again by one request after a minute', async () => {
    const { walk, clock, parts } = setUp([{ name: 'a' }]);
    const one = walk();
    one.failed(await one.next(), verdict('key-dead'));
    expect((await all(walk(), 'key-dead')).asked).toEqual([]);
    clock.nowMs += 60_000;
    const probe = await walk().next();
    expect((await all(walk(), 'key-dead')).asked).toEqual([]);
    parts.keys.served(probe.target, probe.key, probe.keyTurn, clock.nowMs);
    expect(shown(await walk().next())).toBe('a k');
  });

  test('one failure opens no circuit; a target that mostly fails has an open circuit, then one probe', async () => {
    const { walk, clock } = setUp([{ name: 'a' }]);
    for (let round = 0; round < 5; round++) {
      const one = walk();
      one.failed(await one.next(), verdict('target-down'));
    }
    const { asked, error } = await all(walk(), 'target-down');
    expect(asked).toEqual([]);
    expect([error.code, error.retryAfterMs]).toEqual(['provider_unavailable', 1_000]);
    clock.nowMs += 1_000;
    const probe = await walk().next();
    expect((await all(walk(), 'target-down')).asked).toEqual([]);
    probe.target.health.succeeded(probe.targetTurn, clock.nowMs);
    expect(shown(await walk().next())).toBe('a k');
  });

  test('a candidate that is taken and not tried leaves the probe to the next, and a skipped one does not take it', async () => {
    const { walk, clock, targets } = setUp([{ name: 'a' }]);
    const [target] = targets as [Target];
    const earlier = walk();
    const passedOver = await earlier.next();
    target.health.applyReported('open', clock.nowMs + 10, clock.nowMs);
    clock.nowMs += 10;
    const one = walk();
    const probe = await one.next();
    earlier.failed(passedOver, verdict('unable'));
    expect((await all(walk(), 'target-down')).asked).toEqual([]);
    one.unused(probe);
    expect(shown(await walk().next())).toBe('a k');
  });

  test('a request without patience waits for the answer to whether this replica may probe', async () => {
    const { walk, clock, targets } = setUp([{ name: 'a' }]);
    const [target] = targets as [Target];
    target.health.applyReported('open', clock.nowMs, clock.nowMs);
    let answer: boolean | undefined;
    target.health.shareProbes({ mayProbe: () => answer === true, isTaken: () => answer === false });
    const waiting = walk().next();
    expect(waiting).toBeInstanceOf(Promise);
    answer = true;
    expect(shown(await waiting)).toBe('a k');
    // Another replica probes.
    target.health.abandoned((await waiting).targetTurn);
    answer = undefined;
    const refused = all(walk(), 'target-down');
    answer = false;
    expect((await refused).asked).toEqual([]);
  });

  test('what a model refused to be given is remembered', async () => {
    const { walk, targets } = setUp([{ name: 'a' }]);
    const one = walk();
    const candidate = await one.next();
    expect(() => one.failed(candidate, { ...verdict('request-fault'), lacks: 'image' })).toThrow();
    expect(targets[0]?.health.lacks('image', 1_000)).toBe(true);
  });
});

describe('a refusal that teaches', () => {
  test('lets the same target and key be asked once more', async () => {
    const { walk } = setUp([
      { name: 'a', keys: ['1', '2'] },
      { name: 'b', tier: 1 },
    ]);
    const one = walk();
    const first = await one.next();
    one.failed(first, verdict('parameter-refused'));
    const second = await one.next();
    expect(shown(second)).toBe(shown(first));
    expect(second.refused?.kind).toBe('parameter-refused');
    expect(() => one.failed(second, verdict('parameter-refused'))).toThrow('parameter-refused');
  });

  test('within the bounds of attempts and shares', async () => {
    const { walk } = setUp(three, { limits: { attemptsMax: 1 } });
    const one = walk();
    one.failed(await one.next(), verdict('parameter-refused'));
    expect(() => one.next()).toThrow('parameter-refused');
  });
});

describe('waiting', () => {
  const patient = { clocks: { patienceMs: 1_000, attemptsTimeoutMs: 60_000 } };
  /** Pauses take no time; they move the clock of the walk that is tried. */
  let pauses: number[] = [];
  let onPause: (ms: number) => void = () => {};
  const setUpWaiting = (...given: Parameters<typeof setUp>): ReturnType<typeof setUp> => {
    const made = setUp(...given);
    onPause = (ms) => {
      made.clock.nowMs += ms;
    };
    return made;
  };
  let sleep: ReturnType<typeof spyOn<typeof Bun, 'sleep'>>;
  beforeEach(() => {
    pauses = [];
    sleep = spyOn(Bun, 'sleep').mockImplementation(async (ms) => {
      pauses.push(Number(ms));
      onPause(Number(ms));
    });
  });
  afterEach(() => sleep.mockRestore());

  test('for the first who is back within the caller’s patience', async () => {
    const { walk, targets, clock } = setUpWaiting([{ name: 'a' }, { name: 'b' }], patient);
    const [a, b] = targets as [Target, Target];
    a.health.coolUntil(clock.nowMs + 60_000);
    b.health.coolUntil(clock.nowMs + 150);
    expect(shown(await walk().next())).toBe('b k');
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBe(150);
  });

  test('not where that takes longer: the error says when', async () => {
    const { walk, targets, clock } = setUpWaiting([{ name: 'a' }], patient);
    targets[0]?.health.coolUntil(clock.nowMs + 5_000);
    const { asked, error } = await all(walk(), 'unable');
    expect(asked).toEqual([]);
    expect(error.code).toBe('provider_unavailable');
    expect(error.retryAfterMs).toBeGreaterThan(4_000);
  });

  test('not for one that was asked already', async () => {
    const { walk } = setUpWaiting([{ name: 'a' }], patient);
    const one = walk();
    one.failed(await one.next(), verdict('key-cooling', 10));
    expect((await all(one, 'unable')).error.code).toBe('upstream_rate_limited');
  });

  test('an overloaded target is retried once no other is left, later each time, within the patience', async () => {
    const { walk, targets, clock } = setUpWaiting([{ name: 'a' }, { name: 'b', tier: 1 }], patient);
    const one = walk();
    const asked: string[] = [];
    const fail = async (retryAfterMs: number) => {
      const candidate = await one.next();
      asked.push(shown(candidate));
      one.failed(candidate, verdict('target-cooling', retryAfterMs));
    };
    await fail(0);
    await fail(0);
    await fail(0);
    await fail(5_000);
    expect(asked).toEqual(['a k', 'b k', 'a k', 'b k']);
    targets[0]?.health.coolUntil(clock.nowMs + 5_000);
    const error: unknown = await Promise.resolve(one.next()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect((error as GatewayError).retryAfterMs).toBeGreaterThan(4_000);
  });

  test('one that says that it failed is asked once more for a conversation, and for nothing else', async () => {
    const failed = { ...verdict('uncertain'), again: true };
    const ask = async (converses: boolean) => {
      const one = setUpWaiting([{ name: 'a' }], patient).walk({ converses });
      let asked = 0;
      try {
        for (;;) {
          const candidate = await one.next();
          asked++;
          one.failed(candidate, failed);
        }
      } catch {
        return asked;
      }
    };
    expect([await ask(true), await ask(false)]).toEqual([2, 1]);
  });

  test('no longer than patience lasts, whatever is left to try', async () => {
    const { walk } = setUpWaiting([{ name: 'a' }], {
      ...patient,
      clocks: { patienceMs: 250, attemptsTimeoutMs: 60_000 },
    });
    const { asked, error } = await all(walk(), 'target-cooling', 0);
    // 100 ms, then 200 ms, of which 150 are left.
    expect(asked).toEqual(['a k', 'a k']);
    expect(error.retryAfterMs).toBeGreaterThan(0);
  });

  test('for a probe that is out, and goes when it comes back', async () => {
    const { walk, targets, clock } = setUpWaiting([{ name: 'a' }], patient);
    const [target] = targets as [Target];
    target.health.applyReported('open', clock.nowMs - 1, clock.nowMs);
    const probe = target.health.enter(clock.nowMs);
    const waiting = walk().next();
    expect(waiting).toBeInstanceOf(Promise);
    const advance = onPause;
    onPause = (ms) => {
      advance(ms);
      if (pauses.length === 3) target.health.succeeded(probe, clock.nowMs);
    };
    expect(shown(await waiting)).toBe('a k');
    expect(pauses).toHaveLength(3);
  });

  test('ends when the client leaves', async () => {
    const { walk, targets, clock } = setUpWaiting([{ name: 'a' }], patient);
    targets[0]?.health.coolUntil(clock.nowMs + 500);
    const { error } = await all(walk({ hasLeft: () => true }), 'unable');
    expect(error.code).toBe('client_left');
  });
});
