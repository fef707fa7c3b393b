/** What is known of a model by its name alone, whoever serves it. */

import { type ModelProfile, unknownProfile } from '../conversation/model-profile.ts';
import { anthropicFamily } from './families/anthropic.ts';
import type { Family } from './families/family.ts';
import { geminiFamily } from './families/gemini.ts';
import { openaiFamily } from './families/openai.ts';
import { otherFamilies } from './families/others.ts';

export const families: readonly Family[] = [openaiFamily, anthropicFamily, geminiFamily, otherFamilies];

/** Names come from clients too, so that there is no end of them. */
const rememberedMax = 2_000;
const remembered = new Map<string, ModelProfile>();

export function familyProfile(model: string): ModelProfile {
  const known = remembered.get(model);
  if (known !== undefined) return known;
  const name = bareName(model);
  const rows = families.flatMap((family) => family.rows.filter(({ models }) => models.test(name)));
  const profile = rows.length === 0 ? unknownProfile : Object.assign({}, ...rows.map((row) => row.profile));
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(model, profile);
  return profile;
}

/** Hosts of several makers put the maker's name before a slash or a dot; a fine-tune of a model is called by its base. */
export function bareName(model: string): string {
  const last = model.toLowerCase().split('/').at(-1) ?? '';
  return last.replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai|deepseek)\./, '').replace(/^ft:/, '');
}
