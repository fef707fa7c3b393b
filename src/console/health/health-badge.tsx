/** The state of a provider, key or target in a word with its colour, and when it may be called again. */

import type { HealthStateName } from '../../admin/contracts/contract.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { countText } from '../texts/number.ts';
import { durationText } from '../texts/time.ts';
import type { Words } from '../words/en.ts';
import { useSpeech } from '../words/use-words.tsx';

/** From the worst to the best. */
const order = [
  'key-rejected',
  'model-missing',
  'circuit-open',
  'probing',
  'rate-limited',
  'degraded',
  'healthy',
  'no-data',
  'disabled',
] as const satisfies readonly HealthStateName[];

const tones: Readonly<Record<HealthStateName, Tone>> = {
  'key-rejected': 'bad',
  'model-missing': 'bad',
  'circuit-open': 'bad',
  probing: 'warn',
  'rate-limited': 'warn',
  degraded: 'warn',
  healthy: 'ok',
  'no-data': 'plain',
  disabled: 'plain',
};

const inks: Readonly<Record<Tone, string>> = {
  bad: 'text-bad',
  warn: 'text-warn',
  ok: 'text-ok',
  plain: 'text-quiet',
  accent: '',
  test: '',
};

/** Greater for a worse state. */
export const severity = (state: HealthStateName): number => order.length - order.indexOf(state);

/** For lists of what is wrong: a caller sees the worst first. */
export const worstFirst = (one: HealthStateName, other: HealthStateName): number =>
  order.indexOf(one) - order.indexOf(other);

const isBad = (state: HealthStateName): boolean => tones[state] === 'bad' || tones[state] === 'warn';

interface HealthBadgeProps {
  readonly state: HealthStateName;
  readonly readyInMs?: number | undefined;
}

export function HealthBadge({ state, readyInMs }: HealthBadgeProps) {
  const { words, tag } = useSpeech();
  const soon = readyInMs === undefined || readyInMs <= 0 ? undefined : waitText(readyInMs, tag, words.units);
  return (
    <span title={words.health.hints[state]} className="inline-flex shrink-0">
      <Badge tone={tones[state]} dot>
        {words.health.states[state]}
        {soon !== undefined && <span className="font-normal">{words.health.retryIn(soon)}</span>}
      </Badge>
    </span>
  );
}

/** A wait that counts down is shown in whole seconds: fractions are not read. */
function waitText(ms: number, tag: string, units: Words['units']): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${countText(seconds, tag)} ${units.s}` : durationText(seconds * 1_000, tag, units);
}

/** Several at once: how many are in the worst state, or how many there are where all is well. */
export function HealthSum({ states, none }: { readonly states: readonly HealthStateName[]; readonly none: string }) {
  const { words, tag } = useSpeech();
  const worst = order.find((state) => states.includes(state));
  if (worst === undefined) return <span className="text-quiet">{none}</span>;
  const count = states.filter((state) => state === worst).length;
  const name = words.health.states[worst];
  const [shown, total] = [countText(count, tag), countText(states.length, tag)];
  const all = count === 1 ? name : words.health.allInState(shown, name);
  return (
    <span className={`inline-flex items-center gap-1.5 ${isBad(worst) ? inks[tones[worst]] : ''}`}>
      <HealthDot state={worst} />
      {count === states.length ? all : words.health.someInState(shown, total, name)}
    </span>
  );
}

/** Beside words that say the same. */
export function HealthDot({ state }: { readonly state: HealthStateName }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block size-1.5 shrink-0 rounded-full bg-current ${inks[tones[state]]}`}
      data-health={state}
    />
  );
}
