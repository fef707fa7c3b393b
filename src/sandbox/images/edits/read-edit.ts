/** Reads which changes a prompt asks for. Text that names no known change describes something to draw. */

import { namedColors } from '../raster/colors.ts';
import { readScene } from '../scene/read-scene.ts';
import type { NamedColor, Scene } from '../scene/scene.ts';
import {
  addContrast,
  blur,
  brighten,
  cool,
  darken,
  type Effect,
  flip,
  grayscale,
  invert,
  mirror,
  pixelate,
  saturate,
  sepia,
  sharpen,
  warm,
} from './effects.ts';

export type EditStep =
  | { readonly kind: 'effect'; readonly description: string; readonly effect: Effect; readonly strength: number }
  | { readonly kind: 'tint'; readonly color: NamedColor; readonly strength: number }
  | { readonly kind: 'remove' }
  | { readonly kind: 'remove-background' }
  | { readonly kind: 'replace-background'; readonly scene: Scene }
  /** Added things leave the rest of the image; a scene replaces it. */
  | { readonly kind: 'draw'; readonly scene: Scene; readonly added: boolean };

interface EditPlan {
  readonly steps: readonly EditStep[];
  /** Lays several images over one another instead of side by side. */
  readonly overlaid: boolean;
}

const effectRows: readonly (readonly [pattern: RegExp, description: string, effect: Effect])[] = [
  [/\bblack[ -](?:and|&)[ -]white\b|\bgr[ae]y[ -]?scale\b|\bmonochrome\b/, 'made it black and white', grayscale],
  [/\bsepia\b|\bvintage\b/, 'gave it a sepia tone', sepia],
  [/\binvert|\bnegative\b/, 'inverted its colors', invert],
  [/\bbright(?:er|en)|\blight(?:er|en)\b/, 'made it brighter', brighten],
  [/\bdark(?:er|en)|\bmake (?:it|this) dark\b/, 'made it darker', darken],
  [/\bcontrast/, 'raised its contrast', addContrast],
  [/\bsaturate|\bvivid\b|\bvibrant\b|\bmore colou?r/, 'made its colors stronger', saturate],
  [/\bwarm(?:er)?\b/, 'made it warmer', warm],
  [/\bcool(?:er)?\b|\bcold(?:er)?\b/, 'made it cooler', cool],
  [/\bpixel(?:at|l)|\bmosaic\b/, 'pixelated it', pixelate],
  [/\bblur|\bsoften/, 'blurred it', blur],
  [/\bsharp(?:er|en)/, 'sharpened it', sharpen],
  [/\bupside[ -]down\b|\bflip (?:it )?vertical/, 'turned it upside down', flip],
  [/\bmirror|\bflip(?! (?:it )?vertical)/, 'mirrored it', mirror],
];

const addVerb = /^(?:please )?(?:now )?(?:add|put|place|insert|include|draw|paint|give it)\b/;
const removeVerb = /\b(?:remove|erase|delete|get rid of|take (?:out|away))\b/;
const clauseEnd =
  /[,.;!?]+|\band then\b|\bthen\b|\band\b(?= (?:make|add|put|place|remove|erase|delete|blur|draw|turn|change|replace|tint|invert|sharpen|flip|mirror|brighten|darken)\b)/;
const overlay = /\boverla(?:y|id|p)|\bon top of\b|\blayer|\bstack|\bmerge|\bblend/;
const clausesMax = 12;
/** Words that may stand before the color in "make it all red". */
const tintPrefix =
  /^(?:please |make |turn |paint |colou?r |the |whole |it |this |everything |image |picture |photo |all |more |slightly )*$/;

function strengthOf(clause: string): number {
  if (/\b(?:slightly|a (?:little|bit)|subtle|gently)\b/.test(clause)) return 0.5;
  return /\b(?:very|much|strongly|heavily|a lot|extremely|really)\b/.test(clause) ? 1.7 : 1;
}

export function readEdit(prompt: string, negativePrompt?: string): EditPlan {
  const text = prompt.toLowerCase().slice(0, 20_000);
  const clauses = text
    .split(clauseEnd)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
  const steps: EditStep[] = [];
  const described: string[] = [];
  for (const clause of clauses.slice(0, clausesMax)) {
    const read = readClause(clause, negativePrompt);
    if (read === undefined) described.push(clause);
    else steps.push(...read);
  }
  const scene = readScene(wantedPart(described.join(', ')), { negativePrompt });
  // Unknown words beside a known change are ignored.
  const worthDrawing = scene.backdrop !== 'pattern' || steps.length === 0;
  if (described.length > 0 && worthDrawing) steps.push({ kind: 'draw', scene, added: false });
  return { steps, overlaid: overlay.test(text) };
}

/** Undefined where the clause names no change. */
function readClause(clause: string, negativePrompt: string | undefined): EditStep[] | undefined {
  if (addVerb.test(clause)) {
    const scene = readScene(clause.replace(addVerb, ''), { negativePrompt });
    return [{ kind: 'draw', scene, added: true }];
  }
  if (/\bbackground\b/.test(clause)) return readBackground(clause, negativePrompt);
  if (removeVerb.test(clause)) return [{ kind: 'remove' }];
  const strength = strengthOf(clause);
  const tinted = readTint(clause);
  if (tinted !== undefined) return [{ kind: 'tint', color: tinted, strength }];
  const effects = effectRows.filter(([pattern]) => pattern.test(clause));
  if (effects.length === 0) return undefined;
  return effects.map(([, description, effect]) => ({ kind: 'effect', description, effect, strength }));
}

function readBackground(clause: string, negativePrompt: string | undefined): EditStep[] | undefined {
  if (removeVerb.test(clause) || /\btransparent\b/.test(clause)) return [{ kind: 'remove-background' }];
  if (!/\b(?:change|replace|make|turn|set)\b/.test(clause)) return undefined;
  const wanted = wantedPart(clause).replace(/\b(?:background|change|replace|make|turn|set)\b/g, '');
  const scene = readScene(colorOf(wanted) === undefined ? wanted : `${wanted} background`, { negativePrompt });
  return [{ kind: 'replace-background', scene }];
}

function colorOf(text: string): NamedColor | undefined {
  for (const [word] of text.matchAll(/[a-z]+/g)) {
    const color = namedColors.get(word);
    if (color !== undefined) return { name: word, color };
  }
  return undefined;
}

function readTint(clause: string): NamedColor | undefined {
  const color = colorOf(clause);
  if (color === undefined || /\bblack[ -]and[ -]white\b/.test(clause)) return undefined;
  if (/\btint|\bre-?colou?r/.test(clause)) return color;
  const [before = '', after = ''] = clause.split(color.name);
  const asksForIt = /\b(?:make|turn|paint|colou?r)\b/.test(before) && tintPrefix.test(`${before.trim()} `);
  return asksForIt && after.trim() === '' ? color : undefined;
}

/** "Replace the house with a tree" asks for a tree. */
function wantedPart(text: string): string {
  const change =
    /\b(?:replace|swap)\b.*?\b(?:with|by|for)\b(.*)$|\b(?:turn|change|transform|make)\b.*?\b(?:into|to)\b(.*)$/s.exec(
      text,
    );
  return change?.[1] ?? change?.[2] ?? text;
}
