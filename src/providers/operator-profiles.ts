/** The operator's settings for models at a provider, as profiles; the file's reader has checked their values. */

import type { Effort, Modality, ModelProfile, ThinkingRule } from '../conversation/model-profile.ts';
import type { ParameterName } from '../conversation/parameters.ts';
import type { ProfileEntry, ThinkingEntry } from '../settings/config.ts';
import { parameterWords } from './profile-words.ts';

export interface OperatorProfile {
  /** A name of a model at the provider, `*` allowed. */
  readonly pattern: string;
  readonly profile: ModelProfile;
}

export function operatorProfiles(entries: Readonly<Record<string, ProfileEntry>> = {}): readonly OperatorProfile[] {
  return Object.entries(entries).map(([pattern, entry]) => ({ pattern, profile: profileOfEntry(entry) }));
}

function profileOfEntry(entry: ProfileEntry): ModelProfile {
  const { user_id: userId, thinking } = entry;
  return present<ModelProfile>({
    contextTokens: entry.context_tokens,
    outputTokensMax: entry.output_tokens_max,
    imageTokensMax: entry.image_tokens_max,
    caching: entry.cache_tokens_min === undefined ? undefined : { tokensMin: entry.cache_tokens_min },
    temperatureMax: entry.temperature_max,
    stopsMax: entry.stops_max,
    refuses: entry.refuses && parametersOf(entry.refuses),
    refusesWhileThinking: entry.refuses_while_thinking && parametersOf(entry.refuses_while_thinking),
    thinking: thinking && ruleOf(thinking),
    input: entry.input as readonly Modality[] | undefined,
    output: entry.output as readonly Modality[] | undefined,
    toolsFormat: entry.tools_format,
    laterInstructions: entry.later_instructions,
    developerRole: entry.developer_role,
    textLists: entry.text_lists,
    allowedTools: entry.allowed_tools,
    forcedTools: entry.forced_tools,
    freeformTools: entry.freeform_tools,
    resultMedia: entry.result_media,
    olderLimit: entry.older_limit,
    searchOption: entry.search_option,
    temperatureWithTopP: entry.temperature_with_top_p,
    userId:
      userId &&
      present<NonNullable<ModelProfile['userId']>>({
        charactersMin: userId.characters_min,
        charactersMax: userId.characters_max,
        pattern: userId.pattern,
      }),
  });
}

function parametersOf(words: readonly string[]): readonly ParameterName[] {
  return words.flatMap((word) => parameterWords.get(word) ?? []);
}

function ruleOf(entry: ThinkingEntry): ThinkingRule {
  const { kind, by_default: byDefault } = entry;
  const efforts = (entry.efforts ?? []) as readonly Effort[];
  const isOn: { byDefault?: 'on' | 'off' } = byDefault === 'on' || byDefault === 'off' ? { byDefault } : {};
  switch (kind) {
    case 'never':
    case 'always':
      return { kind };
    case 'switch':
      return { kind, ...isOn };
    case 'budget':
      return {
        kind,
        tokensMin: entry.tokens_min ?? 1,
        canBeOff: entry.can_be_off ?? true,
        ...(entry.tokens_max !== undefined && { tokensMax: entry.tokens_max }),
        ...(entry.dynamic !== undefined && { dynamic: entry.dynamic }),
        ...isOn,
      };
    case 'adaptive':
      return { kind, efforts, canBeOff: entry.can_be_off ?? true, ...isOn };
    case 'effort':
      return { kind, efforts, ...(byDefault !== undefined && { byDefault: byDefault as Effort }) };
  }
}

type Optional<T> = { readonly [Field in keyof T]: T[Field] | undefined };

function present<T extends object>(fields: Optional<Required<T>>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
