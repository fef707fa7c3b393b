/** How a target or a key is doing, in a word with its colour, and when it may be asked again. */

import type { HealthStateName } from '../../../admin/contracts/contract.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { countText } from '../../texts/number.ts';
import { durationText } from '../../texts/time.ts';
import type { Words } from '../../words/en.ts';
import { useSpeech } from '../../words/use-words.tsx';
import type { HealthSum } from './provider-health.ts';

const healthTones: Readonly<Record<HealthStateName, Tone>> = {
  ready: 'ok',
  cooling: 'warn',
  open: 'bad',
  'half-open': 'warn',
};

const inks: Readonly<Record<HealthStateName, string>> = {
  ready: 'text-ok',
  cooling: 'text-warn',
  open: 'text-bad',
  'half-open': 'text-warn',
};

export function HealthMark({
  state,
  readyInMs,
}: {
  readonly state: HealthStateName;
  readonly readyInMs?: number | undefined;
}) {
  const { words, tag } = useSpeech();
  const soon = readyInMs === undefined || readyInMs <= 0 ? undefined : waitText(readyInMs, tag, words.units);
  return (
    <Badge tone={healthTones[state]} dot>
      {words.providers.health[state]}
      {soon !== undefined && <span className="font-normal">{words.providers.readyIn(soon)}</span>}
    </Badge>
  );
}

/** A wait that counts down is told in whole seconds: nobody reads their fractions. */
function waitText(ms: number, tag: string, units: Words['units']): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${countText(seconds, tag)} ${units.s}` : durationText(seconds * 1_000, tag, units);
}

/** Several at once: quiet where all is well, and how many are away where not. */
export function HealthSumMark({ sum, none }: { readonly sum: HealthSum; readonly none: string }) {
  const words = useSpeech().words.providers;
  if (sum.total === 0) return <span className="text-quiet">{none}</span>;
  return (
    <span className={`inline-flex items-center gap-1.5 ${sum.away === 0 ? '' : inks[sum.worst]}`}>
      <HealthDot state={sum.worst} />
      {sum.away === 0 ? words.allReady : words.someReady(sum.total - sum.away, sum.total)}
    </span>
  );
}

/** Beside words that say the same. */
export function HealthDot({ state }: { readonly state: HealthStateName }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block size-1.5 shrink-0 rounded-full bg-current ${inks[state]}`}
      data-health={state}
    />
  );
}
