/** What a conversation must look like at one target: the rules of its format, and those of the servers that copied the format. */

import type { ModelProfile } from '../model-profile.ts';
import type { ConversationRules } from '../repair/rules.ts';

/** Formats have few rules and keep them. */
const foldedRules = new WeakMap<ConversationRules, ConversationRules>();

/**
 * Templates of many servers take one instruction, at the beginning, and turns that alternate. Where a target is not known to
 * take more, it gets no more.
 */
export function rulesFor(rules: ConversationRules, profile: ModelProfile): ConversationRules {
  const folded = withFolding(rules, profile);
  const resultsAreText = profile.resultMedia === 'refused' && folded.resultsAreText !== true;
  // What the model cannot look at stays where its loss is named.
  const isBlind = profile.input !== undefined && !profile.input.includes('image') && folded.modelMediaFollow === true;
  if (!resultsAreText && !isBlind) return folded;
  return { ...folded, ...(resultsAreText && { resultsAreText }), ...(isBlind && { modelMediaFollow: false }) };
}

function withFolding(rules: ConversationRules, { laterInstructions }: ModelProfile): ConversationRules {
  if (rules.copied !== true || laterInstructions === 'taken') return rules;
  const known = foldedRules.get(rules);
  if (known !== undefined) return known;
  const folded = { ...rules, instructionsFirst: true, oneInstruction: true, joinsUsers: true };
  foldedRules.set(rules, folded);
  return folded;
}
