/** Reads which changes a prompt asks for. What is no known change is taken as the description of something to draw. */

import { namedColours } from '../raster/colours.ts';
import { readScene } from '../scene/read-scene.ts';
import type { NamedColour, Scene } from '../scene/scene.ts';
import {
  addContrast,
  blur,
  brighten,
  cool,
  darken,
  type Effect,
  grey,
  invert,
  mirror,
  pixelate,
  saturate,
  sepia,
  sharpen,
  turnOver,
  warm,
} from './effects.ts';

export type EditStep =
  | { readonly kind: 'effect'; readonly said: string; readonly effect: Effect; readonly strength: number }
  | { readonly kind: 'tint'; readonly colour: NamedColour; readonly strength: number }
  | { readonly kind: 'remove' }
  | { readonly kind: 'remove-background' }
  | { readonly kind: 'replace-background'; readonly scene: Scene }
  /** Things alone are added to what is there; a scene takes its place. */
  | { readonly kind: 'draw'; readonly scene: Scene; readonly added: boolean };

export interface EditPlan {
  readonly steps: readonly EditStep[];
  /** Several pictures lie on one another rather than side by side. */
  readonly overlaid: boolean;
}

const effectRows: readonly (readonly [pattern: RegExp, said: string, effect: Effect])[] = [
  [
    /\bblack[ -](?:and|&|n)[ -]white\b|\bgr[ae]y[ -]?scale\b|\bmonochrome\b|\bdesaturate/,
    'made it black and white',
    grey,
  ],
  [/\bsepia\b|\bvintage\b|\bold[ -]fashioned\b|\bold photo/, 'gave it a sepia tone', sepia],
  [/\binvert|\bnegative\b/, 'inverted its colours', invert],
  [/\bbright(?:er|en)|\blight(?:er|en)\b|\bmore light\b/, 'made it brighter', brighten],
  [/\bdark(?:er|en)|\bmake (?:it|this|the \w+) dark\b|\bdim\b|\bless light\b/, 'made it darker', darken],
  [/\bcontrast/, 'raised its contrast', addContrast],
  [/\bsaturate|\bvivid\b|\bvibrant\b|\bmore colou?r(?:ful)?\b/, 'made its colours stronger', saturate],
  [/\bwarm(?:er|th)?\b/, 'made it warmer', warm],
  [/\bcool(?:er)?\b|\bcold(?:er)?\b/, 'made it cooler', cool],
  [/\bpixel(?:at|is|iz|l)|\bmosaic\b/, 'pixelated it', pixelate],
  [/\bblur|\bout of focus\b|\bsoften/, 'blurred it', blur],
  [/\bsharp(?:er|en)/, 'sharpened it', sharpen],
  [/\bupside[ -]down\b|\bflip (?:it )?vertical/, 'turned it upside down', turnOver],
  [/\bmirror|\bflip(?! (?:it )?vertical)/, 'mirrored it', mirror],
];

const addVerb = /^(?:please )?(?:now )?(?:add|put|place|insert|include|draw|paint|give it)\b/;
const removeVerb = /\b(?:remove|erase|delete|get rid of|take (?:out|away))\b/;
const clauseEnd =
  /[,.;!?]+|\band then\b|\bthen\b|\band\b(?= (?:make|add|put|place|remove|erase|delete|blur|draw|turn|change|replace|tint|invert|sharpen|flip|mirror|brighten|darken)\b)/;
const clausesMax = 12;
/** Only these words may stand beside the colour in "make it all red". */
const tintWords =
  /^(?:please |make |turn |paint |colou?r |the |whole |it |this |that |everything |picture |image |photo |area |all |more |completely |slightly |a |bit |look )*$/;

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
  const scene = readScene(described.length === 0 ? '' : wantedPart(described.join(', ')), { negativePrompt });
  // Words without meaning beside a change that was understood are not worth a pattern.
  const worthDrawing = scene.backdrop !== 'pattern' || steps.length === 0;
  if (described.length > 0 && worthDrawing) steps.push({ kind: 'draw', scene, added: false });
  return {
    steps,
    overlaid: /\boverla(?:y|id|p)|\bon top of\b|\blayer|\bstack|\bmerge|\bblend|\bsuperimpose|\binto the first\b/.test(
      text,
    ),
  };
}

/** Undefined where the clause names no change. */
function readClause(clause: string, negativePrompt: string | undefined): EditStep[] | undefined {
  if (addVerb.test(clause)) {
    const scene = readScene(clause.replace(addVerb, ''), { negativePrompt });
    return [{ kind: 'draw', scene, added: true }];
  }
  if (/\bbackground\b|\bbackdrop\b/.test(clause)) return readBackground(clause, negativePrompt);
  if (removeVerb.test(clause)) return [{ kind: 'remove' }];
  const strength = strengthOf(clause);
  const tinted = readTint(clause);
  if (tinted !== undefined) return [{ kind: 'tint', colour: tinted, strength }];
  const effects = effectRows.filter(([pattern]) => pattern.test(clause));
  if (effects.length === 0) return undefined;
  return effects.map(([, said, effect]) => ({ kind: 'effect', said, effect, strength }));
}

function readBackground(clause: string, negativePrompt: string | undefined): EditStep[] | undefined {
  if (removeVerb.test(clause) || /\btransparent\b/.test(clause)) return [{ kind: 'remove-background' }];
  if (!/\b(?:change|replace|make|turn|swap|set)\b/.test(clause)) return undefined;
  const wanted = wantedPart(clause).replace(/\b(?:background|backdrop|change|replace|make|turn|swap|set)\b/g, '');
  const scene = readScene(colourOf(wanted) === undefined ? wanted : `${wanted} background`, { negativePrompt });
  return [{ kind: 'replace-background', scene }];
}

function colourOf(text: string): NamedColour | undefined {
  for (const [word] of text.matchAll(/[a-z]+/g)) {
    const colour = namedColours.get(word);
    if (colour !== undefined) return { name: word, colour };
  }
  return undefined;
}

function readTint(clause: string): NamedColour | undefined {
  const colour = colourOf(clause);
  if (colour === undefined || /\bblack[ -]and[ -]white\b/.test(clause)) return undefined;
  if (/\btint|\bre-?colou?r|\bcolou?ri[sz]e/.test(clause)) return colour;
  const [before = '', after = ''] = clause.split(colour.name);
  return /\b(?:make|turn|paint|colou?r)\b/.test(before) && tintWords.test(`${before.trim()} `) && after.trim() === ''
    ? colour
    : undefined;
}

/** "Replace the house with a tree" wants a tree. */
function wantedPart(text: string): string {
  const change =
    /\b(?:replace|swap|exchange)\b.*?\b(?:with|by|for)\b(.*)$|\b(?:turn|change|transform|convert|make)\b.*?\b(?:into|to)\b(.*)$/s.exec(
      text,
    );
  return change?.[1] ?? change?.[2] ?? text;
}
