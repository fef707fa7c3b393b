/**
 * Why a field of an agent or a library may not arrive for a token with a budget or a list of models, as
 * docs/routing.md#models-that-a-body-names-elsewhere says; all others must.
 */

import type { BodyDifferences } from './compare-bodies.ts';
import type { AgentHost } from './hosts.ts';

export interface TakenField {
  /** As `x-weir-losses` names it. */
  readonly loss: RegExp;
  /** What is gone from the body, and what goes with it because it would be refused alone. */
  readonly fields: RegExp;
  /** Losses of its settings, which go with it. */
  readonly settings: RegExp;
  isTakenAt(host: AgentHost): boolean;
  readonly because: string;
}

/** Objects whose members all went are gone with them. */
const steering =
  /^(?:models|route|preset|fallbacks|provider(?:\.(?:order|only|ignore|sort|allow_fallbacks|quantizations))?|providerOptions(?:\.gateway(?:\.(?:order|only|models|sort))?)?)$/;

export const takenFields: readonly TakenField[] = [
  {
    loss: steering,
    fields: steering,
    settings: steering,
    isTakenAt: () => true,
    because: 'a token that may not steer chooses no host and no other model',
  },
  {
    loss: /^tool-web_search$/,
    fields: /^(?:tools(?:\[\d+\])?|tool_choice|parallel_tool_calls|web_search_options)$/,
    settings: /^web-search(?:-|$)/,
    isTakenAt: ({ pricesSearches }) => !pricesSearches,
    because: 'a hosted tool without a known price',
  },
];

export interface HolderOutcome {
  readonly status: number;
  readonly losses: readonly string[];
  /** There are more: a header has room for so many. */
  readonly areCut: boolean;
  /** What the provider refused on the way. */
  readonly refusals: readonly string[];
}

/** What is wrong with how a limited token's request fared beside that of an unlimited one; empty where all is as documented. */
export function faultsOf(
  host: AgentHost,
  whole: HolderOutcome,
  limited: HolderOutcome,
  { lost, other }: BodyDifferences,
): string[] {
  const faults: string[] = [];
  if (whole.status !== 200) faults.push(`status ${whole.status} without limits`);
  else if (limited.status !== 200) faults.push(`status ${limited.status}`);
  if (limited.refusals.length > whole.refusals.length) faults.push(`refused: ${limited.refusals.join(' | ')}`);
  for (const path of other) faults.push(`${path} is another`);
  const named = limited.losses.filter((loss) => !whole.losses.includes(loss));
  const rows = takenFields.filter((row) => row.isTakenAt(host));
  const hasGone = ({ fields }: TakenField): boolean => lost.some((path) => fields.test(path));
  for (const loss of named) {
    const isTaken = rows.some((row) => row.loss.test(loss) && hasGone(row));
    if (!isTaken && !whole.areCut) faults.push(`x-weir-losses names ${loss}`);
  }
  for (const path of lost) {
    const isNamed = rows.some(({ loss, fields }) => fields.test(path) && named.some((each) => loss.test(each)));
    if (!isNamed) faults.push(`${path} is lost`);
  }
  const taken = rows.filter((row) => named.some((loss) => row.loss.test(loss)));
  for (const loss of whole.losses) {
    const isGone = taken.some(({ settings }) => settings.test(loss));
    if (!isGone && !limited.areCut && !limited.losses.includes(loss)) faults.push(`x-weir-losses lacks ${loss}`);
  }
  return faults;
}
