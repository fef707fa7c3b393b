/** The words that configuration and explanations use for what a model takes. */

import { effortWords, type Modality } from '../conversation/model-profile.ts';
import { type ParameterName, parameterNames } from '../conversation/parameters.ts';

export const effortNames = effortWords;
export const modalityNames: readonly Modality[] = ['text', 'image', 'pdf', 'audio', 'video'];

/** `topP` as `top_p`. */
export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export const parameterWords: ReadonlyMap<string, ParameterName> = new Map(
  parameterNames.map((name) => [inSnakeCase(name), name]),
);
