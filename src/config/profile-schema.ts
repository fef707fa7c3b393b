/** What `weir.yaml` may say of a model at a provider. Every error text is the sentence that says what is allowed there. */

import { z } from 'zod';
import { effortNames, modalityNames, parameterWords } from '../providers/profile-words.ts';
import { builtOnce } from '../settings/built-once.ts';
import type { ProfileEntry, ThinkingEntry } from '../settings/config.ts';

const tokens = 'a whole number of tokens from 1 to 100000000';
const size = () => z.int({ error: tokens }).min(1, { error: tokens }).max(100_000_000, { error: tokens });
const taking = () => z.enum(['taken', 'refused'], { error: 'taken or refused' });

const listOf = (words: readonly string[]) => {
  const error = `a list of ${words.join(', ')}`;
  return z.array(z.enum(words as [string, ...string[]], { error }), { error });
};

const parameters = () => listOf([...parameterWords.keys()]);
const modalities = () => listOf(modalityNames);
const efforts = () => listOf(effortNames).min(1, { error: 'a list of one effort or more' });

const kinds = ['never', 'always', 'switch', 'budget', 'adaptive', 'effort'] as const;
const kindAllowed = `one of ${kinds.join(', ')}`;
const defaultAllowed = 'on or off, or for the kind effort one of its efforts';
const tokensMin = 'a whole number of tokens from 0 to 100000000';

const thinkingShape = builtOnce(() =>
  z.strictObject(
    {
      kind: z.enum(kinds, { error: kindAllowed }),
      tokens_min: z
        .int({ error: tokensMin })
        .min(0, { error: tokensMin })
        .max(100_000_000, { error: tokensMin })
        .optional(),
      tokens_max: size().optional(),
      can_be_off: z.boolean({ error: 'true or false' }).optional(),
      dynamic: z.boolean({ error: 'true or false' }).optional(),
      efforts: efforts().optional(),
      by_default: z.enum(['on', 'off', ...effortNames], { error: defaultAllowed }).optional(),
    },
    { error: `${kindAllowed}, or a map with kind` },
  ),
);

/** Beside `kind`. */
const ofKind: Readonly<Record<ThinkingEntry['kind'], readonly string[]>> = {
  never: [],
  always: [],
  switch: ['by_default'],
  budget: ['tokens_min', 'tokens_max', 'can_be_off', 'dynamic', 'by_default'],
  adaptive: ['efforts', 'can_be_off', 'by_default'],
  effort: ['efforts', 'by_default'],
};

const thinking = () =>
  z
    .preprocess((value) => (typeof value === 'string' ? { kind: value } : value), thinkingShape())
    .superRefine((entry, context) => {
      const known = ofKind[entry.kind];
      for (const field of Object.keys(entry)) {
        if (field === 'kind' || known.includes(field)) continue;
        const allowed = known.length === 0 ? 'nothing beside kind' : known.join(', ');
        context.addIssue({ code: 'custom', path: [field], message: `of the kind ${entry.kind}: ${allowed}` });
      }
      const needsEfforts = entry.kind === 'adaptive' || entry.kind === 'effort';
      if (needsEfforts && entry.efforts === undefined) {
        context.addIssue({ code: 'custom', path: ['efforts'], message: `a list of ${effortNames.join(', ')}` });
      }
      if (entry.by_default !== undefined && !defaultFits(entry)) {
        context.addIssue({ code: 'custom', path: ['by_default'], message: defaultAllowed });
      }
    });

function defaultFits({ kind, efforts: known, by_default: word = '' }: ThinkingEntry): boolean {
  return kind === 'effort' ? known?.includes(word) === true : word === 'on' || word === 'off';
}

const characters = 'a whole number of characters from 1 to 10000';
const length = () => z.int({ error: characters }).min(1, { error: characters }).max(10_000, { error: characters });
const patternAllowed = 'a regular expression of at most 200 characters';

const userId = builtOnce(() =>
  z.strictObject(
    {
      characters_min: length().optional(),
      characters_max: length().optional(),
      pattern: z
        .string({ error: patternAllowed })
        .max(200, { error: patternAllowed })
        .refine(isExpression, { error: patternAllowed })
        .optional(),
    },
    { error: 'a map with characters_min, characters_max or pattern' },
  ),
);

function isExpression(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}

const temperature = 'a number from 0 to 10';
const stops = 'a whole number from 0 to 1000';

export const profile = builtOnce(
  () =>
    z.strictObject(
      {
        context_tokens: size().optional(),
        output_tokens_max: size().optional(),
        cache_tokens_min: size().optional(),
        image_tokens_max: size().optional(),
        temperature_max: z
          .number({ error: temperature })
          .min(0, { error: temperature })
          .max(10, { error: temperature })
          .optional(),
        stops_max: z.int({ error: stops }).min(0, { error: stops }).max(1_000, { error: stops }).optional(),
        refuses: parameters().optional(),
        refuses_while_thinking: parameters().optional(),
        thinking: thinking().optional(),
        input: modalities().optional(),
        output: modalities().optional(),
        tools_format: z
          .string({ error: 'the name of a wire format' })
          .min(1, { error: 'the name of a wire format' })
          .optional(),
        later_instructions: taking().optional(),
        developer_role: taking().optional(),
        text_lists: taking().optional(),
        allowed_tools: taking().optional(),
        forced_tools: taking().optional(),
        freeform_tools: taking().optional(),
        result_media: taking().optional(),
        older_limit: taking().optional(),
        search_option: taking().optional(),
        temperature_with_top_p: taking().optional(),
        user_id: userId().optional(),
      },
      { error: 'a map with context_tokens, output_tokens_max, refuses, thinking and so on' },
    ) satisfies z.ZodType<ProfileEntry>,
);

/** The keys that a strict map inside a profile knows. */
export function profileKeysAt([field]: readonly PropertyKey[]): readonly string[] {
  if (field === 'thinking') return Object.keys(thinkingShape().shape);
  return Object.keys(field === 'user_id' ? userId().shape : profile().shape);
}
