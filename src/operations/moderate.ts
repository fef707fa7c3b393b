/** Whether texts and images violate a usage policy, and which categories. */

import type { Extras } from '../conversation/parts.ts';
import type { Consumption } from './consumption.ts';

export type ModeratedPart =
  | { readonly type: 'text'; readonly text: string }
  /** A URL or a data URL. */
  | { readonly type: 'image'; readonly url: string };

export interface ModerateRequest {
  /** Absent where the caller leaves the choice to Weir. */
  readonly model?: string;
  /** Each is judged by itself and gets one result. */
  readonly inputs: readonly (readonly ModeratedPart[])[];
  readonly extras?: Extras;
}

/** Every category that clients expect in both maps. */
export const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const;

export type ModerationCategory = (typeof moderationCategories)[number];

export interface ModerationResult {
  readonly flagged: boolean;
  /** From 0 to 1; a category that the provider does not know is 0. */
  readonly scores: Readonly<Record<ModerationCategory, number>>;
  readonly categories: Readonly<Record<ModerationCategory, boolean>>;
  /** Which kinds of part led to each verdict, where the provider reports it. */
  readonly appliedTo?: Readonly<Partial<Record<ModerationCategory, readonly ('text' | 'image')[]>>>;
  /** Verdicts of the provider under its own names. */
  readonly native?: Readonly<Record<string, unknown>>;
}

export interface ModerateReply {
  readonly id: string;
  readonly model: string;
  readonly results: readonly ModerationResult[];
  readonly consumption: Consumption;
}
