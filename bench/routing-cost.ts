/** The cost of routing alone: the plan and the choice of the first candidate, without a call to a provider. */

import { callerOf } from '../src/access/levels/caller-of.ts';
import { formats } from '../src/formats/all.ts';
import type { Tree } from '../src/formats/format.ts';
import { type RouteParts, routeCall } from '../src/relay/admission/route-call.ts';
import { CandidateWalk } from '../src/relay/attempts/candidate-walk.ts';
import { RetryBudget } from '../src/relay/attempts/retry-budget.ts';
import { MovedConversations } from '../src/routing/affinity.ts';
import { Catalogue } from '../src/routing/catalogue.ts';
import { KeyRing } from '../src/routing/keys.ts';
import { scriptedProvider } from '../test/harness/scripted-targets.ts';

const repetitions = 200_000;
const rounds = 7;

export interface RoutingFigures {
  /** Microseconds of CPU for one request, one figure per round. */
  readonly oneTarget: readonly number[];
  readonly threeTargets: readonly number[];
  readonly conversation: readonly number[];
}

const caller = callerOf({ id: 't', hint: '', createdAtMs: 0, terms: { name: 't' } });
const headers = new Headers({ 'content-type': 'application/json', 'user-agent': 'bench' });
const small: Tree = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const text = 'The gate was raised by four centimetres, and the flow below it rose within two minutes. ';
const large: Tree = {
  model: 'x',
  messages: [
    { role: 'system', content: text.repeat(20) },
    ...Array.from({ length: 40 }, () => ({ role: 'user', content: text.repeat(3) })),
  ],
};

function decideOnce(
  parts: RouteParts & ConstructorParameters<typeof CandidateWalk>[0],
  model: string,
  tree: Tree,
): void {
  const { targets } = routeCall(parts, {
    model,
    operation: 'converse',
    caller,
    headers,
    tree,
    format: formats['openai-chat'],
    inputTokensMax: 400,
    unable: () => undefined,
  });
  new CandidateWalk(parts, targets, { repeatable: true, startedAtMs: 0, hasLeft: () => false }, []).next();
}

function microsOf(work: () => void, count: number): number {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

export function measureRouting(): RoutingFigures {
  const names = ['a', 'b', 'c'];
  const targets = names.map((provider) => ({ provider, model: 'm', tier: 0, weight: 1 }));
  const catalogue = new Catalogue(
    names.map((name) => scriptedProvider({ name })),
    [
      { alias: 'x', targets },
      { alias: 'one', targets: targets.slice(0, 1) },
    ],
  );
  const parts = {
    catalogue,
    keys: new KeyRing(),
    retries: new RetryBudget({ retryPercentMax: 20 }),
    moved: new MovedConversations(),
    routing: { affinityBytesMin: 4_096, cacheMarks: 'off' as const },
    limits: { attemptsMax: 4 },
    clocks: { patienceMs: 10_000, attemptsTimeoutMs: 240_000 },
    priceOf: () => undefined,
    contextTokensOf: () => undefined,
    nowMs: () => performance.now(),
    random: Math.random,
  };
  const one = (): void => decideOnce(parts, 'one', small);
  const three = (): void => decideOnce(parts, 'x', small);
  const conversation = (): void => decideOnce(parts, 'x', large);
  for (const work of [one, three, conversation]) microsOf(work, repetitions / 10);
  const figures = { oneTarget: [] as number[], threeTargets: [] as number[], conversation: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    figures.oneTarget.push(microsOf(one, repetitions));
    figures.threeTargets.push(microsOf(three, repetitions));
    figures.conversation.push(microsOf(conversation, repetitions / 10));
  }
  return figures;
}

if (import.meta.main) console.log(JSON.stringify(measureRouting()));
