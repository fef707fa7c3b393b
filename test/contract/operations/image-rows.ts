/**
 * Every image wire behind a preset or a kind that has it: the suites over plain HTTP and over the
 * libraries call the same ones.
 */

import type { Row } from './bench.ts';
import { bfl, fal, family, gemini, png, replicate } from './image-wires.ts';

/** Models whose provider returns the image itself, and those whose provider returns its URL. */
export const ownModels = [
  'gpt-image-1',
  'gemini-2.5-flash-image',
  'flux-2-inline',
  'acme/inline-model',
  'fal-ai/inline/dev',
] as const;
export const elsewhereModels = [
  'flux-2-pro',
  'acme/flux-schnell',
  'acme/flux-schnell:1a2b3c',
  'fal-ai/flux/dev',
] as const;
/** It generates images and edits none. */
export const makingModel = 'imagen-4.0-generate-001';

/** New ones for each suite: wires that answer later keep their requests. */
export function imageRows(): Readonly<Record<string, Row>> {
  return {
    family: { kind: 'openai', base: '/v1', models: ['gpt-image-1', 'dall-e-3'], answer: family },
    gemini: { kind: 'gemini', base: '/v1beta', models: ['gemini-2.5-flash-image', makingModel], answer: gemini },
    bfl: { kind: 'bfl', base: '/v1', models: ['flux-2-pro', 'flux-2-inline'], answer: bfl() },
    replicate: {
      kind: 'replicate',
      base: '/v1',
      models: ['acme/flux-schnell', 'acme/flux-schnell:1a2b3c', 'acme/inline-model'],
      answer: replicate(),
    },
    fal: { kind: 'fal', base: '', models: ['fal-ai/flux/dev', 'fal-ai/inline/dev'], answer: fal() },
    plain: {
      kind: 'openai-chat',
      base: '/v1',
      models: ['plain-image'],
      // A server without streams.
      answer: () => Response.json({ created: 1, data: [{ b64_json: png }] }),
    },
  };
}

/** Tokens for one model, and 0.04 USD per image of the others. */
export const imagePrices = { 'gpt-image-1': { input: 5, output: 40 }, '*': { image: 0.04 } };
export const nanoPerImage = 40_000_000n;
/** The usage that the family reports for one reply, at its price. */
export const nanoOfTokens = 10n * 5_000n + 20n * 40_000n;
