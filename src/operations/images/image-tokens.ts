/**
 * How many tokens models that are billed by them make an image of, at most. Sources, read 2026-11-16:
 * https://developers.openai.com/api/docs/guides/image-generation (the table of the first family, the calculator of the second),
 * https://community.openai.com/t/gpt-image-2-output-pricing-calculator-online-and-in-your-code/1382699,
 * https://ai.google.dev/gemini-api/docs/pricing (1,290 for each image; 1,120 at 1K and 2K and 2,000 at 4K; 747 to 2,520 by resolution).
 */

import type { ImageTerms, MostUse } from '../consumption.ts';
import { areaOf, type Pixels, pixelsAsked } from './sizes.ts';

interface Family {
  readonly models: RegExp;
  tokensOf(terms: ImageTerms): number;
}

const largest = 6_240;
const ofQuality: ReadonlyMap<unknown, { readonly square: number; readonly long: number }> = new Map([
  ['low', { square: 272, long: 408 }],
  ['medium', { square: 1_056, long: 1_584 }],
  ['high', { square: 4_160, long: largest }],
]);

/** Each edge in steps of the quality, and more for more pixels. */
const stepsMax = 96;
const stepsOf: ReadonlyMap<unknown, number> = new Map([
  ['low', 16],
  ['medium', 48],
  ['high', stepsMax],
]);
const areaOffset = 2_000_000;
const areaScale = 4_000_000;

const families: readonly Family[] = [
  {
    models: /(?:^|\/)gpt-image-1(?:\.5|-mini)?(?![.\d])/,
    tokensOf({ quality, size }) {
      const known = ofQuality.get(quality);
      if (known === undefined) return largest;
      return size === '1024x1024' ? known.square : known.long;
    },
  },
  {
    models: /(?:^|\/)gpt-image-2(?![.\d])/,
    tokensOf(option) {
      const steps = stepsOf.get(option.quality) ?? stepsMax;
      const { width, height } = pixelsOf(option);
      const [long, short] = [Math.max(width, height), Math.min(width, height)];
      // A square has the most steps; the last one may be rounded up.
      const narrow = long === 0 ? steps : Math.min(steps, Math.ceil((steps * short) / long));
      return Math.ceil((steps * narrow * (areaOffset + areaAsked(option))) / areaScale);
    },
  },
  { models: /(?:^|\/)gemini-2\.5-flash-image/, tokensOf: () => 1_290 },
  // The smallest resolution is asked for by no name, and is bounded like the images of the family before.
  { models: /(?:^|\/)gemini-3-pro-image/, tokensOf: (option) => (edgeOf(option) > 2_048 ? 2_000 : 1_290) },
  {
    models: /(?:^|\/)gemini-3\.1-flash(?:-lite)?-image/,
    tokensOf: (option) => (edgeOf(option) > 2_048 ? 2_520 : edgeOf(option) > 1_024 ? 1_680 : 1_290),
  },
];

const noPixels: Pixels = { width: 0, height: 0 };

/** Nothing where the model chooses. */
function pixelsOf({ size }: ImageTerms): Pixels {
  return (size === undefined ? undefined : pixelsAsked(size)) ?? noPixels;
}

function areaAsked({ size, areaMax }: ImageTerms): number {
  return Math.max(areaOf(size), areaMax);
}

/** The longer edge, or that of a square of the area where edges were named apart from the size. */
function edgeOf(terms: ImageTerms): number {
  const { width, height } = pixelsOf(terms);
  return Math.max(width, height, Math.ceil(Math.sqrt(terms.areaMax)));
}

/** The same bound for the model that makes the images, where its images are known; else as it was. */
export function mostOfModel(most: MostUse, model: string): MostUse {
  const { imageTerms, images = 1, tokens } = most;
  if (imageTerms === undefined || tokens === undefined) return most;
  const family = families.find(({ models }) => models.test(model));
  if (family === undefined) return most;
  const image = images * (family.tokensOf(imageTerms) + imageTerms.partialTokens);
  return { ...most, tokens: { input: tokens.input, output: { total: image + images * imageTerms.textTokens, image } } };
}
