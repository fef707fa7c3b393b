/** What is known of a model by its name alone, at any provider. */

import { type ModelProfile, unknownProfile } from '../conversation/model-profile.ts';
import { anthropicFamily } from './families/anthropic.ts';
import { cohereFamily } from './families/cohere.ts';
import { deepseekFamily } from './families/deepseek.ts';
import { doubaoFamily } from './families/doubao.ts';
import type { Family, FamilyRow } from './families/family.ts';
import { geminiFamily } from './families/gemini.ts';
import { gemmaFamily } from './families/gemma.ts';
import { glmFamily } from './families/glm.ts';
import { gptOssFamily } from './families/gpt-oss.ts';
import { kimiFamily } from './families/kimi.ts';
import { llamaFamily } from './families/llama.ts';
import { minimaxFamily } from './families/minimax.ts';
import { mistralFamily } from './families/mistral.ts';
import { novaFamily } from './families/nova.ts';
import { openaiFamily } from './families/openai.ts';
import { perplexityFamily } from './families/perplexity.ts';
import { qwenFamily } from './families/qwen.ts';
import { xaiFamily } from './families/xai.ts';

export const families: readonly Family[] = [
  openaiFamily,
  gptOssFamily,
  anthropicFamily,
  geminiFamily,
  gemmaFamily,
  deepseekFamily,
  xaiFamily,
  qwenFamily,
  kimiFamily,
  glmFamily,
  mistralFamily,
  llamaFamily,
  minimaxFamily,
  cohereFamily,
  novaFamily,
  doubaoFamily,
  perplexityFamily,
];

interface Kin {
  /** Absent where the name is unknown. */
  readonly family?: Family;
  readonly profile: ModelProfile;
}

/** Names come from clients too, so that there is no end of them. */
const rememberedMax = 2_000;
const remembered = new Map<string, Kin>();
const stranger: Kin = { profile: unknownProfile };

export function kinOf(model: string): Kin {
  const known = remembered.get(model);
  if (known !== undefined) return known;
  const name = bareName(model);
  const family = families.find(({ names }) => names.test(name));
  const kin = family === undefined ? stranger : { family, profile: mergedRows(family.rows, name) };
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(model, kin);
  return kin;
}

export function familyProfile(model: string): ModelProfile {
  return kinOf(model).profile;
}

/** The fields of all rows that match, the later ones before the earlier. */
export function mergedRows(rows: readonly FamilyRow[], name: string): ModelProfile {
  return Object.assign({}, ...rows.filter(({ models }) => models.test(name)).map(({ profile }) => profile));
}

const vendors = 'anthropic|openai|meta|amazon|mistral|cohere|qwen|moonshot|moonshotai|minimax|zai|google|nvidia|xai';
const vendorPrefix = new RegExp(`^(?:[a-z]{2,6}\\.)?(?:${vendors})\\.(?=[a-z])`);

/** Hosts put a region or the vendor's name before the model's; one writes `p` for a dot, another nothing; a fine-tune is called by its base. */
export function bareName(model: string): string {
  const last = model.toLowerCase().split('/').at(-1) ?? '';
  return last
    .replace(vendorPrefix, '')
    .replace(/^(?:[a-z]{2,6}\.)?deepseek\./, 'deepseek-')
    .replace(/^ft:/, '')
    .replace(/^gpt-35-/, 'gpt-3.5-')
    .replace(/(?<=\d)p(?=\d)/, '.');
}
