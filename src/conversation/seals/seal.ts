/**
 * A seal carried through a client of another format: the opaque value and its origin in one text. It is plain base64,
 * because some formats declare the field that carries it as bytes.
 */

import type { Origin, Seal } from '../parts.ts';

/** A multiple of three bytes, so that every such text begins with the same characters. */
const mark = 'weir.seal.1:';
export const sealPrefix = Buffer.from(mark).toString('base64');

export function writeSeal({ value, origin }: Seal): string {
  const content = JSON.stringify([origin.format, origin.provider, origin.model, value]);
  return Buffer.from(mark + content).toString('base64');
}

/** A value without our mark was made by a provider of the format itself; which one is unknown. */
export function readSeal(value: string, format: string): Seal {
  return openSeal(value) ?? { value, origin: { format, provider: '', model: '' } };
}

function openSeal(text: string): Seal | undefined {
  if (!text.startsWith(sealPrefix)) return undefined;
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8').slice(mark.length));
    if (!Array.isArray(content) || !content.every((entry) => typeof entry === 'string')) return undefined;
    const [format = '', provider = '', model = '', value = ''] = content as string[];
    return { value, origin: { format, provider, model } };
  } catch {
    return undefined;
  }
}

/** May the seal be shown to this target? An unknown provider of the same format is given the benefit of the doubt. */
export function sealFits({ origin }: Seal, target: Origin): boolean {
  if (origin.format !== target.format) return false;
  return origin.provider === '' || (origin.provider === target.provider && origin.model === target.model);
}
