/**
 * What a model accepts, as data: model lists report it, `explain` shows it, and it decides what is written to the model
 * in every format. Absent always means unknown: then everything that the format supports is sent.
 */

import type { CachingRule } from './caching/cache-marks.ts';
import type { ParameterName } from './parameters.ts';

/** In the order of the amount. */
export const effortWords = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof effortWords)[number];

export type Modality = 'text' | 'image' | 'pdf' | 'audio' | 'video';

/** How a model's thinking is set. */
export type ThinkingRule =
  /** It does not think and refuses requests that ask for it. */
  | { readonly kind: 'never' }
  /** It always thinks, and the amount cannot be set. */
  | { readonly kind: 'always' }
  /** Thinking is on or off, without an amount. */
  | { readonly kind: 'switch'; readonly byDefault?: 'on' | 'off' }
  /** The amount is a number of tokens; a dynamic one may be left to the model. */
  | {
      readonly kind: 'budget';
      readonly tokensMin: number;
      readonly tokensMax?: number;
      readonly canBeOff: boolean;
      readonly dynamic?: boolean;
      readonly byDefault?: 'on' | 'off';
      /** It takes an effort beside the budget. */
      readonly efforts?: readonly Effort[];
    }
  /** It chooses the amount itself, within an effort. */
  | {
      readonly kind: 'adaptive';
      readonly efforts: readonly Effort[];
      readonly canBeOff: boolean;
      readonly byDefault?: 'on' | 'off';
      /** It still takes a budget instead. */
      readonly budgets?: { readonly tokensMin: number; readonly tokensMax?: number };
    }
  /** The amount is an effort; thinking can be off if `none` is among the efforts. */
  | { readonly kind: 'effort'; readonly efforts: readonly Effort[]; readonly byDefault?: Effort };

/**
 * For what some servers refuse and others accept. Unknown is the third state: a translated conversation is written in
 * the form that every server accepts, and one that stays in its format is not changed.
 */
export type Taking = 'taken' | 'refused';

export interface ModelProfile {
  /** Parameters that it refuses, or that have no effect on it. */
  readonly refuses?: readonly ParameterName[];
  /** Of the others, those that it refuses while it thinks. */
  readonly refusesWhileThinking?: readonly ParameterName[];
  readonly thinking?: ThinkingRule;
  readonly contextTokens?: number;
  /** The most that one reply can have, thoughts included. */
  readonly outputTokensMax?: number;
  /** The most that it counts for one image. */
  readonly imageTokensMax?: number;
  readonly temperatureMax?: number;
  /** Both in one request; where that is refused, the temperature is kept. */
  readonly temperatureWithTopP?: Taking;
  readonly stopsMax?: number;
  readonly input?: readonly Modality[];
  readonly output?: readonly Modality[];
  /** The format that a request with tools must be written in, if the provider supports it. */
  readonly toolsFormat?: string;
  /** Instructions after the first turn of the conversation. */
  readonly laterInstructions?: Taking;
  readonly developerRole?: Taking;
  /** A choice that makes the model call a tool, one of its own choice or a named one; `unnamed` is the former alone. */
  readonly forcedTools?: Taking | 'unnamed';
  /** In the chat format, the reply's limit under its older name; where it is refused, the newer one is used. */
  readonly olderLimit?: Taking;
  /** In the chat format, texts as lists of parts; where they are refused, a turn of texts alone is one string. */
  readonly textLists?: Taking;
  /** In the chat format, the option that asks for a search of the web; servers that do not know it mostly ignore it. */
  readonly searchOption?: Taking;
  /** A choice among some of the declared tools; where it is refused, only those are declared. */
  readonly allowedTools?: Taking;
  /** Tools that take a text instead of arguments; where they are refused, each becomes a function with one argument. */
  readonly freeformTools?: Taking;
  /** Images and files in the results of tools; where they are refused, they follow in the user's turn. */
  readonly resultMedia?: Taking;
  /** It caches only what is marked. Absent where it caches by itself, or not at all. */
  readonly caching?: CachingRule;
  /** The end user's id; another one is replaced by its digest. `pattern` is the source of a regular expression for the whole id. */
  readonly userId?: { readonly charactersMin?: number; readonly charactersMax?: number; readonly pattern?: string };
}

export const unknownProfile: ModelProfile = {};

/** Kinds of tokens that some list prices, and what else it sells. */
export const listedRateNames = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'thinking',
  'inputAudio',
  'outputAudio',
] as const;
export type ListedRateName = (typeof listedRateNames)[number];
export const listedUnitNames = ['requests', 'webSearches'] as const;
export type ListedUnitName = (typeof listedUnitNames)[number];

/** Nano-USD for a million tokens as digits, because a list is kept as JSON; `steps` apply once the input is larger than `above`. */
export interface ListedRate {
  readonly nano: string;
  readonly steps?: readonly { readonly above: number; readonly nano: string }[];
}

/** What a provider's own list says that a model costs there. */
export interface ListedPrice {
  readonly rates: { readonly [Name in ListedRateName]?: ListedRate } & {
    readonly input: ListedRate;
    readonly output: ListedRate;
  };
  /** Nano-USD for a million of each, as digits. */
  readonly units?: { readonly [Name in ListedUnitName]?: string };
}

/** What a provider's own list says of one of its models. */
export interface ListedModel {
  readonly name: string;
  readonly profile?: ModelProfile;
  /** The parameters that the list names as taken; those of `profile.refuses` are the ones that it knows and does not name. */
  readonly takes?: readonly ParameterName[];
  readonly price?: ListedPrice;
  /** Since when its provider advises against it, or will; a day in UTC, as `2026-11-16`. */
  readonly deprecatedAt?: string;
  /** When its provider stops serving it. */
  readonly shutdownAt?: string;
}

/** Does the list say anything beside the name? */
export function saysMore(model: ListedModel): boolean {
  return Object.keys(model).length > 1;
}
