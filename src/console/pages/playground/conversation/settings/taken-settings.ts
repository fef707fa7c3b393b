/** Which settings reach a model: those that the chosen format can say and the model takes. */

import { formats } from '../../formats/all-formats.ts';
import type { PlaygroundModel } from '../../playground-contract.ts';
import { type FormatName, parameterNames } from '../conversation.ts';
import type { SettingName } from './check-settings.ts';

export const settingNames: readonly SettingName[] = [...parameterNames, 'tools', 'schema'];

/** As the list of models names them; one of them is enough. */
const listedNames: Readonly<Record<SettingName, readonly string[]>> = {
  temperature: ['temperature'],
  topP: ['top_p'],
  topK: ['top_k'],
  maxTokens: ['max_tokens', 'max_completion_tokens'],
  stop: ['stop'],
  seed: ['seed'],
  effort: ['reasoning_effort', 'reasoning'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  tools: ['tools'],
  schema: ['structured_outputs'],
};

/** A model of which nothing is known is taken to take everything. */
export function takenSettings(format: FormatName, model: PlaygroundModel | undefined): ReadonlySet<SettingName> {
  return new Set(settingNames.filter((name) => canSay(format, name) && (model === undefined || takes(model, name))));
}

/** Every format has words for tools and a schema. */
function canSay(format: FormatName, name: SettingName): boolean {
  return name === 'tools' || name === 'schema' || formats[format].parameters.includes(name);
}

function takes({ parameters: listed }: PlaygroundModel, name: SettingName): boolean {
  return listed === undefined || listedNames[name].some((known) => listed.includes(known));
}

/** What becomes of a setting on its way to the models that are asked. */
export type Standing =
  | { readonly kind: 'sent' }
  /** The format has no word for it, whatever the model. */
  | { readonly kind: 'unsaid' }
  /** None of the models takes it. */
  | { readonly kind: 'refused' }
  /** Side by side, these do without it. */
  | { readonly kind: 'partly'; readonly without: readonly string[] };

export function standingOf(
  name: SettingName,
  format: FormatName,
  models: readonly (PlaygroundModel | undefined)[],
): Standing {
  if (!canSay(format, name)) return { kind: 'unsaid' };
  const without = models.flatMap((model) => (model === undefined || takes(model, name) ? [] : [model.id]));
  if (without.length === 0) return { kind: 'sent' };
  return without.length === models.length ? { kind: 'refused' } : { kind: 'partly', without };
}

/** Someone gets it. */
export const isOffered = ({ kind }: Standing): boolean => kind === 'sent' || kind === 'partly';

/** The largest reply that all of them can write. */
export function smallestReply(models: readonly (PlaygroundModel | undefined)[]): number | undefined {
  const sizes = models.map((model) => model?.outputTokensMax ?? Number.NaN);
  const smallest = Math.min(...sizes);
  return Number.isFinite(smallest) ? smallest : undefined;
}
