/** A conversation as a target gets it: its body judged, and what was left out or must be counted noted in its facts. */

import type { Caller } from '../../access/caller.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { editBody, type FieldEdits } from '../../http/json/json-body.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { CallFacts, ConversationCall } from '../admission/call.ts';
import { type VettedBody, type VettingParts, vetBody } from './vet-body.ts';
import { vettingOf } from './vetting-terms.ts';

/** `Call.at` for callers whom something limits; undefined for all others. Of a copy of the call it gives copies of that. */
export function callsByTarget(parts: VettingParts, caller: Caller): ConversationCall['at'] {
  if (!vettingOf(caller).any) return undefined;
  let known: Map<Target, { readonly of: ConversationCall; readonly own: ConversationCall }> | undefined;
  let hasNothing = false;
  return function at(this: ConversationCall, target) {
    // A router may leave out what is nothing to judge elsewhere.
    if (hasNothing && target.provider.routes === undefined) return this;
    const found = known?.get(target);
    if (found?.of === this) return found.own;
    const vetted = vetBody(parts, caller, this.body.tree, this.format.fields, target);
    if (vetted === undefined) {
      // A router's own fields are unknown elsewhere.
      hasNothing ||= target.provider.routes === undefined;
      return this;
    }
    const own = vettedCall(this, vetted);
    known ??= new Map();
    known.set(target, { of: this, own });
    return own;
  };
}

function vettedCall(call: ConversationCall, { tree, losses, further, tools, homes }: VettedBody): ConversationCall {
  const { tree: asked } = call.body;
  const facts = tree === asked ? call.facts : factsOfRest(call, tree);
  const limitHomes = [...(facts.limitHomes ?? []), ...homes];
  return {
    ...call,
    body: tree === asked ? call.body : editBody(call.body, editsBetween(asked, tree)),
    facts: { ...facts, limitHomes, ...(further.length > 0 && { further }), ...(tools.length > 0 && { tools }) },
    losses,
  };
}

/** What was left out needs no room in a budget. Earlier turns stay counted as they are. */
function factsOfRest({ format, body, named, facts }: ConversationCall, tree: Tree): CallFacts {
  const before = format.check(body.tree, body.bytes.length, named);
  const after = format.check(tree, body.bytes.length, named);
  const isOfBody = facts.inputUnbounded === before.inputUnbounded;
  return {
    ...facts,
    inputUnbounded: isOfBody ? after.inputUnbounded : facts.inputUnbounded,
    contextReadsMax: after.contextReadsMax,
    webSearchesMax: after.webSearchesMax,
  };
}

export function editsBetween(before: Tree, after: Tree): FieldEdits {
  const edits = new Map<string, string | undefined>();
  for (const name in before) {
    if (after[name] !== before[name])
      edits.set(name, after[name] === undefined ? undefined : JSON.stringify(after[name]));
  }
  return edits;
}
