/** The oracles of the OpenAI formats against recordings: each passes but for differences that are named here, and the published schemas agree. */

import { describe, expect, test } from 'bun:test';
import type { z } from 'zod';
import { publishedFault } from '../../harness/published-schemas.ts';
import { type Recording, recordings } from '../../harness/recorded-replies.ts';
import { testShared } from '../../harness/recordings.ts';
import { isFullSize } from '../../harness/size.ts';
import { namedSchemas } from '../../oracles/index.ts';
import { completion } from '../../oracles/openai-completions.ts';

interface Pair {
  readonly published: string;
  readonly oracle: z.ZodType;
}

const wholes: Readonly<Record<string, Pair>> = {
  'openai-chat': { published: 'CreateChatCompletionResponse', oracle: namedSchemas.CreateChatCompletionResponse },
  'openai-completions': { published: 'CreateCompletionResponse', oracle: completion },
  'openai-responses': { published: 'Response', oracle: namedSchemas.Response },
};
const events: Readonly<Record<string, Pair>> = {
  'openai-chat': {
    published: 'CreateChatCompletionStreamResponse',
    oracle: namedSchemas.CreateChatCompletionStreamResponse,
  },
  'openai-completions': { published: 'CreateCompletionResponse', oracle: namedSchemas.CreateCompletionResponse },
  'openai-responses': { published: 'ResponseStreamEvent', oracle: namedSchemas.ResponseStreamEvent },
};

/** What real replies have and the reference has not, as `vendor place: code`. */
const knownDifferences: readonly { readonly why: string; readonly kinds: RegExp }[] = [
  {
    why: 'compatible services leave fields out',
    kinds:
      /^(deepseek|groq|mistral|moonshotai|perplexity) \.choices\[\]\.message\.refusal: invalid_type$|^groq \.choices\[\]\.message\.content: invalid_type$/,
  },
  {
    why: 'no finish_reason before the last chunk, and an object of its own there',
    kinds: /^(perplexity|xai|openai-compatible) (\.choices\[\]\.finish_reason|\.object): invalid_value$/,
  },
  { why: 'a tier of its own', kinds: /^groq \.service_tier: invalid_value$/ },
  {
    why: 'content as a list, null for no calls, an index inside of the delta',
    kinds:
      /^mistral \.choices\[\]\.(message\.(content|tool_calls)|delta\.content): invalid_type$|^mistral \.choices\[\]\.delta: unrecognized_keys index$/,
  },
  { why: 'Azure’s first chunk has filters only', kinds: /^openai \.(id: too_small|object: invalid_value)$/ },
  {
    why: 'recorded before the reference had the field, or never sent',
    kinds:
      / (\.response)?\.usage\.input_tokens_details\.cache_write_tokens: invalid_type$| \.name: invalid_type$|^openai \.logprobs: invalid_type$|\.environment: invalid_type$/,
  },
  {
    why: 'fields that the reference does not list',
    kinds:
      /(\.response)?: unrecognized_keys( (billing|content_filters|frequency_penalty|presence_penalty|tool_usage))+$|^openai (\.response)?(\.output\[\]|\.item): unrecognized_keys status$|^xai .*: unrecognized_keys (prompt|context_details .*)$|^open-responses \.logprobs\[\]: unrecognized_keys bytes$/,
  },
  {
    why: 'an error inside of a stream is nested',
    kinds: /^openai (: unrecognized_keys error|\.(param|message|code): invalid_type)$/,
  },
  { why: 'written without numbers', kinds: /^openai \.sequence_number: invalid_type$/ },
  { why: 'the whole input of the freeform tool in an event of the reply', kinds: /^openai : unrecognized_keys input$/ },
  {
    why: 'recordings that were cut down to what their test needed',
    kinds:
      /^openai (\.response)?\.(top_p|tools|tool_choice|temperature|parallel_tool_calls|metadata|instructions|incomplete_details|error): invalid_(type|union)$/,
  },
];

const isKnown = (kind: string): boolean => knownDifferences.some(({ kinds }) => kinds.test(kind));

const all = recordings().flatMap((recording) => {
  const pair = (recording.streamed ? events : wholes)[recording.format];
  return pair === undefined ? [] : [{ recording, pair }];
});

function payloadsOf({ payloads }: Recording): unknown[] {
  return payloads.filter((payload) => payload !== '[DONE]').map((payload) => JSON.parse(payload) as unknown);
}

function issuesOf(schema: z.ZodType, value: unknown): z.core.$ZodIssue[] {
  return schema.safeParse(value).error?.issues ?? [];
}

function kindOf(vendor: string, issue: z.core.$ZodIssue): string {
  const path = issue.path.map((step) => (typeof step === 'number' ? '[]' : `.${String(step)}`)).join('');
  const keys = issue.code === 'unrecognized_keys' ? ` ${issue.keys.toSorted().join(' ')}` : '';
  return `${vendor} ${path}: ${issue.code}${keys}`;
}

describe('recorded replies pass their oracle', () => {
  test.each(all.map((one) => [one.recording.name, one] as const))('%s', (name, { recording, pair }) => {
    const vendor = name.split('/')[1] ?? '';
    const found = payloadsOf(recording).flatMap((value) =>
      issuesOf(pair.oracle, value).map((issue) => kindOf(vendor, issue)),
    );
    expect([...new Set(found)].filter((kind) => !isKnown(kind))).toEqual([]);
  });
});

/** The published schema does not have the nulls that the examples beside it have. */
function withoutNulls(value: unknown): unknown {
  const { response, ...rest } = value as Readonly<Record<string, unknown>>;
  if (response !== undefined) return { ...rest, response: withoutNulls(response) };
  const isNull = (name: string): boolean => 'output' in rest && rest[name] === null;
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => !['usage', 'user'].includes(name) || !isNull(name)),
  );
}

/** In the usual size the ends of a stream and some of the events between them, most of which are alike. */
function isCompared(_: unknown, index: number, all: readonly unknown[]): boolean {
  return isFullSize || index < 3 || index >= all.length - 3 || index % 7 === 0;
}

testShared('the published schemas come to the same verdicts', 'schemas/openai.schema.json', () => {
  const different: string[] = [];
  // The code of a spent quota is not in the published list, but in Weir's documentation.
  for (const { recording, pair } of all.filter((one) => !one.recording.name.includes('error'))) {
    for (const value of payloadsOf(recording).filter(isCompared)) {
      const published = publishedFault(pair.published, withoutNulls(value));
      // They leave every object open; the oracles do not.
      const own = issuesOf(pair.oracle, value).filter(({ code }) => code !== 'unrecognized_keys');
      if ((published === undefined) !== (own.length === 0)) {
        different.push(`${recording.name}: ${published?.slice(0, 200)} but ${JSON.stringify(own).slice(0, 200)}`);
      }
    }
  }
  expect(different.slice(0, 10)).toEqual([]);
});
