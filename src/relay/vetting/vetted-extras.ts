/** What an order has for single providers, by their names: judged once for all of its targets, as the body of an operation is. */

import type { Caller } from '../../access/caller.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import type { Loss } from '../../conversation/parts.ts';
import { providerFields } from '../../formats/fields/operation-fields.ts';
import type { Target } from '../../routing/catalogue.ts';
import { type VettedBody, type VettingParts, vetBody } from './vet-body.ts';
import { vettingOf } from './vetting-terms.ts';

interface Extras {
  readonly model: string;
  readonly extras: Readonly<Record<string, Tree>>;
}

interface VettedExtras {
  readonly extras: Readonly<Record<string, Tree>>;
  readonly ordered: Pick<VettedBody, 'further' | 'tools'>;
  readonly losses: readonly Loss[];
}

/** Undefined where there is nothing to judge. */
export function vetExtras(
  parts: VettingParts,
  caller: Caller,
  { model, extras }: Extras,
  targets: readonly Target[],
): VettedExtras | undefined {
  const target = targets.find(({ provider }) => provider.routes !== undefined) ?? targets[0];
  if (target === undefined || !vettingOf(caller).any) return undefined;
  const vetted = vetBody(parts, caller, { ...extras, model }, providerFields, target);
  if (vetted === undefined) return undefined;
  const { model: _, ...kept } = vetted.tree;
  const left = Object.entries(kept).filter((entry): entry is [string, Tree] => isObject(entry[1]));
  const { further, tools, losses } = vetted;
  return { extras: Object.fromEntries(left), ordered: { further, tools }, losses };
}
