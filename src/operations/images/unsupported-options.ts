/** Reports the options that a provider's wire does not support, under the names by which callers know them. */

import type { LossList } from '../../conversation/loss-list.ts';
import type { EditImageRequest, MakeImageRequest } from '../images.ts';

type Option = keyof EditImageRequest;

/** The field as callers write it, and the values that ask for nothing beyond what every model does. */
const options: readonly (readonly [Option, string, readonly unknown[]])[] = [
  ['size', 'size', ['auto']],
  ['quality', 'quality', ['auto', 'standard']],
  ['style', 'style', []],
  ['background', 'background', ['auto']],
  ['outputFormat', 'output_format', []],
  ['outputCompression', 'output_compression', [100]],
  ['moderation', 'moderation', ['auto']],
  ['seed', 'seed', []],
  ['negativePrompt', 'negative_prompt', []],
  ['user', 'user', []],
  ['partialImages', 'partial_images', [0]],
  ['inputFidelity', 'input_fidelity', ['low']],
  ['mask', 'mask', []],
];

/** `written` are the options that the wire carried, or about which it has reported itself. */
export function reportUnsupportedOptions(
  request: MakeImageRequest | EditImageRequest,
  wire: string,
  written: readonly Option[],
  losses: LossList,
): void {
  const values: Partial<EditImageRequest> = request;
  for (const [option, field, harmless] of options) {
    const value = values[option];
    if (value === undefined || written.includes(option) || harmless.includes(value)) continue;
    losses.add(field, 'has no counterpart at this provider');
  }
  losses.addForeign(request.extras, wire);
}

/** A count above what one request of the wire makes; a request that was split before reports nothing. */
export function reportCount(count: number, most: number, losses: LossList): void {
  if (count > most) losses.add('n', `one request makes at most ${most}`);
}
