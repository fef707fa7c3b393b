/** An operation whose body was judged: once for all of its targets, since its parts may be sent in several requests. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { Loss } from '../../conversation/parts.ts';
import { operationFields } from '../../formats/fields/operation-fields.ts';
import { editBody } from '../../http/json/json-body.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Call } from '../admission/call.ts';
import type { OperationBody } from '../operations/operation-body.ts';
import { type VettedBody, type VettingParts, vetBody } from './vet-body.ts';
import { editsBetween } from './vetted-call.ts';
import { vettingOf } from './vetting-terms.ts';

interface VettedOperation {
  readonly body: OperationBody;
  readonly ordered: Pick<VettedBody, 'further' | 'tools'>;
  /** What was left out of the body. */
  readonly losses: readonly Loss[];
  /** False for a form of which something was left out: it is written again from what is known of it. */
  readonly forwardable: boolean;
}

/** Undefined where there is nothing to judge. */
export function vetOperation(
  parts: VettingParts,
  { caller }: Pick<Call, 'caller'>,
  body: OperationBody,
  targets: readonly Target[],
): VettedOperation | undefined {
  if (!vettingOf(caller).any) return undefined;
  const asked = body.kind === 'json' ? body.json.tree : textsOf(body);
  const vetted = vetForAll(parts, caller, asked, targets);
  if (vetted === undefined) return undefined;
  const { tree, losses, ...ordered } = vetted;
  const isWhole = tree === asked;
  if (body.kind === 'form') return { body, ordered, losses, forwardable: isWhole };
  // Printed again: of a field that occurs twice, a provider must not read the occurrence that was not judged.
  const json = isWhole ? body.json : editBody(body.json, editsBetween(asked, tree));
  return { body: { kind: 'json', json: { ...json, fields: undefined } }, ordered, losses, forwardable: true };
}

/** A router leaves out what it does not document, and documents what is unknown elsewhere: one of each kind judges. */
function vetForAll(
  parts: VettingParts,
  caller: Call['caller'],
  asked: Tree,
  targets: readonly Target[],
): VettedBody | undefined {
  const isRouter = ({ provider }: Target): boolean => provider.routes !== undefined;
  let all: VettedBody | undefined;
  for (const target of [targets.find(isRouter), targets.find((one) => !isRouter(one))]) {
    if (target === undefined) continue;
    const own = vetBody(parts, caller, all?.tree ?? asked, operationFields, target);
    if (own === undefined) continue;
    all = {
      tree: own.tree,
      losses: [...(all?.losses ?? []), ...own.losses],
      further: [...(all?.further ?? []), ...own.further],
      tools: [...(all?.tools ?? []), ...own.tools],
      homes: [...(all?.homes ?? []), ...own.homes],
    };
  }
  return all;
}

function textsOf({ form }: Extract<OperationBody, { kind: 'form' }>): Tree {
  return Object.fromEntries(Array.from(form.fields, ([name, values]) => [name.replace(/\[\]$/, ''), values]));
}
