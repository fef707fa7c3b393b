import { describe, expect, test } from 'bun:test';
import { scriptedRoute } from '../../../test/harness/scripted-targets.ts';
import type { TokenTerms } from '../../access/caller.ts';
import { callerOf } from '../../access/levels/caller-of.ts';
import { createMemoryLimiter } from '../../access/memory-limiter.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Price } from '../../prices/price.ts';
import { firstTurn } from '../../routing/breaker.ts';
import { Catalogue, type ModelRoute, type Target } from '../../routing/catalogue.ts';
import { KeyRing } from '../../routing/keys.ts';
import type { Strategy } from '../../routing/strategy-names.ts';
import type { CallFacts } from '../admission/call.ts';
import { type Lane, noLosses } from '../lanes/lane.ts';
import { asksToExplain, type ExplainParts, explain } from './explain.ts';
import type { Explanation } from './explanation.ts';

const nowMs = 1_000_000;

function partsWith(given: Partial<ExplainParts> = {}): ExplainParts {
  return {
    routing: { affinityBytesMin: 1, cacheMarks: 'auto' },
    catalogue: new Catalogue([], []),
    budgetOf: () => Promise.reject(new Error('no budget is read')),
    contextTokensOf: () => undefined,
    outputBoundOf: () => undefined,
    outputTokensOf: () => undefined,
    keys: new KeyRing(),
    limiter: createMemoryLimiter({ nowMs: () => nowMs }),
    nowMs: () => nowMs,
    priceOf: () => undefined,
    priceTables: { guesses: 'display' },
    pricesReady: () => undefined,
    wallMs: () => nowMs,
    ...given,
  };
}

const lane: Lane = {
  kind: 'forward',
  providerFormat: 'some-format',
  url: 'http://127.0.0.1:1/secret',
  passesHeaders: true,
  losses: noLosses,
  body: () => new Uint8Array(),
  readFault: () => undefined,
};

const caller = (terms: Partial<TokenTerms> = {}) =>
  callerOf({ id: 'tok', hint: '', createdAtMs: 0, terms: { name: 'x', ...terms } });

interface Given {
  readonly strategy?: Strategy;
  readonly affinityKey?: string;
  readonly facts?: Partial<CallFacts>;
  readonly terms?: Partial<TokenTerms>;
  readonly session?: string;
  laneFor?(target: Target): Lane | Promise<Lane>;
}

async function explained({ targets }: ModelRoute, parts: ExplainParts, given: Given = {}): Promise<Explanation> {
  const { strategy = 'weighted', affinityKey, facts, terms, session, laneFor = () => lane } = given;
  const reply = await explain(parts, {
    requestId: 'req_1',
    routing: {
      model: 'x',
      operation: 'converse',
      caller: caller(terms),
      headers: new Headers(session === undefined ? {} : { 'x-session-id': session }),
      tree: undefined,
      inputTokensMax: 1,
      unable: () => undefined,
    },
    route: { targets, excluded: [], strategy, affinityKey },
    factsAt: () => ({
      model: 'x',
      stream: false,
      candidates: 1,
      inputTokensMax: 1_000,
      outputTokensMax: 10,
      ...facts,
    }),
    laneFor,
  });
  return (await new Response(reply.body).json()) as Explanation;
}

const price: Price = {
  version: 'operator',
  input: { nanoPerMillion: 2_000_000_000n, tiers: [] },
  output: { nanoPerMillion: 8_000_000_000n, tiers: [] },
  cacheRead: undefined,
  cacheWrite: undefined,
  inputAudio: undefined,
  outputAudio: undefined,
};

describe('the state of a candidate', () => {
  const stateWith = async (change: (target: Target, keys: KeyRing) => void) => {
    const route = scriptedRoute([{ name: 'a', keys: ['one', 'two'] }]);
    const parts = partsWith();
    const [target] = route.targets;
    if (target !== undefined) change(target, parts.keys);
    const [candidate] = (await explained(route, parts)).candidates;
    return [candidate?.state, candidate?.ready_in_ms, candidate?.keys_ready];
  };
  const open = ({ health }: Target, atMs: number): void => health.trip(health.enter(atMs), atMs);

  test('with nothing against it', async () => {
    expect(await stateWith(() => undefined)).toEqual(['ready', 0, 2]);
  });

  test('cooling, until it said', async () => {
    expect(await stateWith(({ health }) => health.coolUntil(nowMs + 700))).toEqual(['cooling', 700, 2]);
  });

  test('open, and open says more than cooling', async () => {
    expect(await stateWith((target) => open(target, nowMs))).toEqual(['open', 1_000, 2]);
    const both = (target: Target): void => {
      open(target, nowMs);
      target.health.coolUntil(nowMs + 5_000);
    };
    expect(await stateWith(both)).toEqual(['open', 5_000, 2]);
  });

  test('probing: the next request is the probe, and while it runs the time is unknown', async () => {
    expect(await stateWith((target) => open(target, nowMs - 2_000))).toEqual(['probing', 0, 2]);
    const out = (target: Target): void => {
      open(target, nowMs - 2_000);
      target.health.enter(nowMs);
    };
    expect(await stateWith(out)).toEqual(['probing', null, 2]);
  });

  test('one key that must wait changes nothing but its count', async () => {
    const cool = ({ provider }: Target, keys: KeyRing): void => {
      const [one] = provider.keys;
      if (one !== undefined) keys.healthOf(provider, one).coolUntil(nowMs + 900);
    };
    expect(await stateWith(cool)).toEqual(['ready', 0, 1]);
  });

  test('without a usable key it has the state of the key that is ready first', async () => {
    const coolAll = ({ provider }: Target, keys: KeyRing): void => {
      const [one, two] = provider.keys;
      if (one === undefined || two === undefined) throw new Error('two keys');
      keys.healthOf(provider, one).trip(firstTurn, nowMs);
      keys.healthOf(provider, two).coolUntil(nowMs + 900);
    };
    expect(await stateWith(coolAll)).toEqual(['cooling', 900, 0]);
  });

  test('looking notes nothing about keys', async () => {
    const parts = partsWith();
    await explained(scriptedRoute([{ name: 'a' }]), parts);
    expect([...parts.keys.states()]).toEqual([]);
  });
});

describe('the order', () => {
  const route = () => scriptedRoute([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd', tier: 1 }]);

  test.each([
    ['weighted', true],
    ['fastest', true],
    ['least_busy', false],
    ['cheapest', false],
  ] as const)('%s is drawn: %p', async (strategy, drawn) => {
    const explanation = await explained(route(), partsWith(), { strategy });
    expect(explanation.drawn).toBe(drawn);
    expect(explanation.candidates.map(({ provider }) => provider)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('what affinity and health leave no choice about is not drawn', async () => {
    const two = scriptedRoute([{ name: 'a' }, { name: 'b' }, { name: 'c', tier: 1 }]);
    expect((await explained(two, partsWith())).drawn).toBe(true);
    const kept = await explained(two, partsWith(), { affinityKey: 'k', session: 's' });
    expect(kept.drawn).toBe(false);
    expect(kept.affinity.kind).toBe('session');
    two.targets[0]?.health.coolUntil(nowMs + 1_000);
    expect((await explained(two, partsWith())).drawn).toBe(false);
  });

  test('a session that decided nothing is not shown', async () => {
    const { affinity } = await explained(route(), partsWith(), { session: 's' });
    expect(affinity).toEqual({ kind: null, key: null });
  });
});

describe('the way there', () => {
  test('a target that does not support the request is excluded with its error', async () => {
    const route = scriptedRoute([{ name: 'a' }, { name: 'b' }]);
    const { candidates, excluded } = await explained(route, partsWith(), {
      laneFor: async ({ provider }) => {
        if (provider.name === 'b') return { ...lane, kind: 'translate', losses: [{ what: 'seed', why: 'no such' }] };
        throw new GatewayError('operation_unsupported', 'The provider a takes no images for this model.');
      },
    });
    expect(excluded).toEqual([
      {
        provider: 'a',
        model: 'm',
        why: 'The provider a takes no images for this model.',
        code: 'operation_unsupported',
      },
    ]);
    expect(candidates).toMatchObject([
      { provider: 'b', lane: 'translate', format: 'some-format', losses: [{ what: 'seed', why: 'no such' }] },
    ]);
  });

  test('a fault of Weir is not taken for a reason', async () => {
    const laneFor = (): never => {
      throw new TypeError('a mistake');
    };
    expect(explained(scriptedRoute([{ name: 'a' }]), partsWith(), { laneFor })).rejects.toThrow('a mistake');
  });

  test('URLs are not shown', async () => {
    const text = JSON.stringify(await explained(scriptedRoute([{ name: 'a' }]), partsWith()));
    expect(text).not.toContain('127.0.0.1');
  });
});

describe('the bound', () => {
  const boundOf = async (given: Partial<ExplainParts>, facts: Partial<CallFacts> = {}) => {
    const [candidate] = (await explained(scriptedRoute([{ name: 'a' }]), partsWith(given), { facts })).candidates;
    return [candidate?.price_bound_usd, candidate?.price_version];
  };

  test('is the highest cost that the counts allow', async () => {
    expect(await boundOf({ priceOf: () => price })).toEqual(['0.00208', 'operator']);
    expect(await boundOf({ priceOf: () => price }, { candidates: 3 })).toEqual(['0.00224', 'operator']);
    expect(await boundOf({ priceOf: () => price, contextTokensOf: () => 100 })).toEqual(['0.00028', 'operator']);
    expect(await boundOf({ priceOf: () => price }, { outputTokensMax: undefined })).toEqual(['0.264144', 'operator']);
  });

  test('counts other units', async () => {
    const imagePrice = { ...price, units: { images: 40_000_000_000_000n } };
    expect(await boundOf({ priceOf: () => imagePrice }, { most: { images: 2 } })).toEqual(['0.08', 'operator']);
  });

  test('is unknown without a price, and with one in units that the call does not have', async () => {
    expect(await boundOf({})).toEqual([null, null]);
    const free = { nanoPerMillion: 0n, tiers: [] };
    const searches = { ...price, input: free, output: free, units: { searches: 1_000n } };
    expect(await boundOf({ priceOf: () => searches }, { most: { images: 2 } })).toEqual([null, 'operator']);
  });

  test('waits for prices that are still being loaded', async () => {
    let loaded = false;
    const pricesReady = async (): Promise<void> => {
      await Promise.resolve();
      loaded = true;
    };
    expect(await boundOf({ pricesReady, priceOf: () => (loaded ? price : undefined) })).toEqual([
      '0.00208',
      'operator',
    ]);
  });
});

describe('limits', () => {
  test('a budget is read for the window that is open, and an unreachable database is reported', async () => {
    const asked: unknown[] = [];
    const budget = { limitNano: 5_000_000_000n, period: 'day' } as const;
    const budgetOf = async (...scope: readonly unknown[]) => {
      asked.push(scope);
      return { spentNano: 1_000_000_000n, heldNano: 42_000n };
    };
    const priced = partsWith({ budgetOf, priceOf: () => price });
    const { limits } = await explained(scriptedRoute([{ name: 'a' }]), priced, { terms: { budget } });
    expect(limits).toEqual({ budget: { limit_usd: '5.00', spent_usd: '1.00', held_usd: '0.000042', period: 'day' } });
    expect(asked).toEqual([['token:tok', 0]]);
    const away = explained(scriptedRoute([{ name: 'a' }]), partsWith({ priceOf: () => price }), { terms: { budget } });
    expect(away).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('who asks', () => {
  const asks = (value: string | undefined, mayExplain = true): boolean | string => {
    try {
      return asksToExplain({
        caller: caller({ mayExplain }),
        headers: new Headers(value === undefined ? {} : { 'x-weir-explain': value }),
      });
    } catch (error) {
      return error instanceof GatewayError ? error.code : 'fault';
    }
  };

  test.each([
    [undefined, false],
    ['0', false],
    ['false', false],
    ['1', true],
    ['true', true],
    ['yes', 'header_invalid'],
    ['', 'header_invalid'],
  ] as const)('%p means %p', (value, meant) => {
    expect(asks(value)).toBe(meant);
  });

  test('without the right only asking is refused', () => {
    expect([asks(undefined, false), asks('0', false), asks('1', false)]).toEqual([false, false, 'explain_not_allowed']);
  });
});
