/** Rewrites the instructions of a responses body for a server that refuses some of their forms. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { ModelProfile } from '../../../conversation/model-profile.ts';
import type { BodyChanges } from '../../body-changes.ts';
import { type Folding, foldInstructions } from '../../fold-instructions.ts';

const between = '\n\n';

/** May one of the items have to change? Reads only. */
export function holdsUnfitInput(tree: Tree, { developerRole, laterInstructions }: ModelProfile): boolean {
  const { input } = tree;
  if ((developerRole !== 'refused' && laterInstructions !== 'refused') || !Array.isArray(input)) return false;
  for (let index = 0; index < input.length; index++) {
    const item: unknown = input[index];
    if (!isInstruction(item)) continue;
    if (developerRole === 'refused' && item['role'] === 'developer') return true;
    if (laterInstructions === 'refused' && (index > 0 || typeof tree['instructions'] === 'string')) return true;
  }
  return false;
}

export function fitInput(tree: Tree, profile: ModelProfile, changes: BodyChanges): void {
  let items = (changes.made.has('input') ? changes.get('input') : changes.exactly('input')) as readonly unknown[];
  if (profile.developerRole === 'refused') {
    items = items.map((item) => (isInstruction(item) ? { ...item, role: 'system' } : item));
  }
  if (profile.laterInstructions === 'refused') items = foldLater(tree, items, changes);
  changes.set('input', items);
}

function isMessage(item: unknown): item is Tree {
  return isObject(item) && (item['type'] === undefined || item['type'] === 'message');
}

function isInstruction(item: unknown): item is Tree {
  return isMessage(item) && (item['role'] === 'system' || item['role'] === 'developer');
}

function hasInstructions({ instructions }: Tree): boolean {
  return typeof instructions === 'string' && instructions !== '';
}

const folding: Folding<unknown> = {
  kindOf: (item) => {
    if (isInstruction(item)) return 'instruction';
    if (isMessage(item)) return item['role'] === 'user' ? 'user' : 'other';
    const type = isObject(item) ? item['type'] : undefined;
    return typeof type === 'string' && type.endsWith('_output') ? 'results' : 'other';
  },
  merged: (instructions, turn, place) => {
    const said = isObject(turn) ? [turn] : [];
    const order = place === 'before' ? [...instructions, ...said] : [...said, ...instructions];
    return { type: 'message', role: 'user', ...(isObject(turn) && turn), content: joined(order) };
  },
};

/** What begins the conversation goes into the instructions field, or is its first item where there is no such field. */
function foldLater(tree: Tree, items: readonly unknown[], changes: BodyChanges): readonly unknown[] {
  const begun = items.findIndex((item) => !isInstruction(item));
  const leading = items.slice(0, begun === -1 ? items.length : begun);
  const rest = foldInstructions(items.slice(leading.length), folding, changes.losses);
  const { instructions } = tree;
  const text = textOf(joined(leading));
  if (hasInstructions(tree) && text !== undefined) {
    if (text !== '') changes.set('instructions', `${instructions}${between}${text}`);
    return rest;
  }
  const [first] = leading;
  // Instructions that hold more than texts do not fit the field, so the field's text joins them; an empty field is
  // dropped.
  const said = hasInstructions(tree) ? [{ content: instructions }, ...leading] : leading;
  if (leading.length > 0) changes.remove('instructions');
  const opening = said.length > 1 && isObject(first) ? [{ ...first, content: joined(said) }] : leading;
  return [...opening, ...rest];
}

/** One text where all are texts, else one list of parts. */
function joined(items: readonly unknown[]): unknown {
  const contents = items.map((item) => (isObject(item) ? item['content'] : undefined));
  const said = contents.filter((content) => content !== undefined && content !== null && content !== '');
  if (said.every((content) => typeof content === 'string')) return said.join(between);
  return said.flatMap((content) => (typeof content === 'string' ? [{ type: 'input_text', text: content }] : content));
}

/** Undefined where the content holds anything but texts. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => (isObject(part) ? part['text'] : undefined));
  return texts.every((one) => typeof one === 'string') ? texts.join(between) : undefined;
}
