/** Which formats a provider has for a model, in the order in which they are preferred when another must be translated. */

import type { FormatName, ModelFormats } from './provider.ts';

interface Speaker {
  /** In the order of preference. */
  readonly formats: readonly FormatName[];
  readonly modelFormats: readonly ModelFormats[];
}

/** Names come from clients too, so the cache is bounded; what was evicted is computed again. */
const rememberedMax = 2_000;
const remembered = new WeakMap<Speaker, Map<string, readonly FormatName[]>>();

export function formatsFor(provider: Speaker, model: string): readonly FormatName[] {
  if (provider.modelFormats.length === 0) return provider.formats;
  let known = remembered.get(provider);
  if (known === undefined) {
    known = new Map();
    remembered.set(provider, known);
  }
  let formats = known.get(model);
  if (formats === undefined) {
    formats = lookUp(provider, model);
    if (known.size >= rememberedMax) known.clear();
    known.set(model, formats);
  }
  return formats;
}

function lookUp({ formats, modelFormats }: Speaker, model: string): readonly FormatName[] {
  const row = modelFormats.find(({ models }) => models.some((pattern) => matches(pattern, model)));
  return row === undefined ? formats : formats.filter((format) => row.formats.includes(format));
}

/** `*` in a pattern matches anything. */
export function matches(pattern: string, model: string): boolean {
  if (!pattern.includes('*')) return pattern === model;
  const pieces = pattern.split('*').map((piece) => piece.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`, 's').test(model);
}
