/**
 * Tells a reported difference from a silent one. A difference is explained by a loss whose words name it, or by a change that
 * the format is known to make, listed here with its reason; anything else is a defect.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Loss } from '../../src/conversation/parts.ts';
import { InlinedSchemas } from '../../src/conversation/schema/inlined-schemas.ts';
import type { JsonSchema, Thinking, ToolChoice } from '../../src/conversation/text-request.ts';
import { effortOfBudget } from '../../src/conversation/thinking-effort.ts';
import type { FormatName } from '../../src/formats/format.ts';
import { amountsOf, type Difference } from './differences.ts';

/** Which words of a loss name which difference. */
const lossWords: readonly (readonly [RegExp, RegExp])[] = [
  [/^candidates$|^number of candidates$/, /^n$|candidates/],
  [/^stop$/, /^stop\b/],
  [/^topK$/, /top_?k/i],
  [/^topP$/, /top_?p/i],
  [/^temperature$/, /temperature/],
  [/^maxOutputTokens$/, /max_tokens/],
  [/^seed$/, /seed/],
  [/^presencePenalty$/, /presence_penalty/],
  [/^frequencyPenalty$/, /frequency_penalty/],
  [/^logitBias$/, /logit_bias/],
  [/^logprobs$/, /logprobs/],
  [/^modalities$/, /modalities/],
  [/^audio$/, /^audio/],
  [/^verbosity$/, /verbosity/],
  [/^serviceTier$/, /service[_ ]tier/],
  [/^metadata$/, /metadata/],
  [/^user$/, /^user/],
  [/^promptCacheKey$/, /prompt[_ ]cache[_ ]key/],
  [/^store$/, /^store/],
  [/^hostedTools$/, /tools?\b|web search/],
  [/^toolChoice$/, /tool[_ ]choice|^tools?$/],
  [/^parallelToolCalls$/, /parallel/],
  [/^tool names$|^tool (?!extras|cacheMark)/, /^tools?\b/],
  [/^tool cacheMark$|^cacheMark$/, /cache mark/],
  [/^thinking (amount|budget|visible|summary)$/, /^thinking/],
  [/^output/, /^output|JSON mode|response_format|^text\.format|schema/],
  [/^thinking (missing|text|redacted)|^redacted missing/, /thinking/],
  [/ seal$/, /signature|seal/],
  [/^citations$/, /citation|annotation/],
  [/^refusal/, /refusal/],
  [/^image\b/, /image/],
  [/^audio\b/, /audio/],
  [/^video\b/, /video/],
  [/^document\b/, /document|image|audio|video/],
  [/^filename$/, /filename|title|document/],
  [/^context$/, /context/],
  [/^citable$/, /citation/],
  [/^detail$/, /detail/],
  [/^mediaType$/, /image|audio|video|document|media type/],
  [/^failed flag$/, /tool (error flag|result failed)|failed/],
  [/^speaker$/, /name/],
  [/^authority$|^side$/, /instruction|developer|authority/],
  [/^native/, /part|native|x_odd|hosted/],
  [/^tool-call arguments$/, /arguments|call of/],
  [/^tool-call missing$/, /tool[- ]call/],
  [/^tool-result|^tool-call links/, /tool[- ](result|call)/],
  [/^text missing$/, /^messages\[\d+\]( text| blank text)?$/],
  [/^text invented$/, /^messages$/],
  [/^finish reason$/, /^finish|stop sequence/],
  [/^stop sequence$/, /stop sequence|finish/],
  [/^usage/, /^usage/],
];

interface KnownChange {
  readonly kind: RegExp;
  readonly because: string;
  readonly only?: (difference: Difference) => boolean;
}

export type Passage = 'request' | 'reply' | 'stream';

const sameJson: KnownChange = {
  kind: /^tool-call arguments$/,
  because: 'the wire holds an object, not its text: the same value is printed again',
  only: ({ expected, got }) => sameValue(expected, got),
};

function sameValue(expected: unknown, got: unknown): boolean {
  const text = String(expected);
  try {
    return JSON.stringify(JSON.parse(text.trim() === '' ? '{}' : text)) === JSON.stringify(JSON.parse(String(got)));
  } catch {
    return false;
  }
}

const isDefault =
  (...values: readonly unknown[]) =>
  ({ expected, got }: Difference): boolean =>
    got === undefined && values.some((value) => isDeepStrictEqual(value, expected));

const isOmitted = ({ expected }: Difference): boolean => expected === undefined;

const isFilled =
  (value: unknown) =>
  ({ expected, got }: Difference): boolean =>
    expected === undefined && got === value;

function sameTokens(expected: unknown, got: unknown): boolean {
  const bare = (tokens: unknown) => JSON.stringify(tokens, (key, value) => (key === 'bytes' ? undefined : value));
  return bare(expected) === bare(got);
}

const everywhere: readonly KnownChange[] = [
  { kind: /^result name$/, because: "a result's name is its call's, which the id finds" },
  { kind: /^empty turn invented$/, because: 'a turn stays when all that it said is lost and reported' },
  {
    kind: /^text missing$/,
    because: 'an empty text and none are the same',
    only: ({ expected }) => textIn(expected) === '',
  },
  {
    kind: /^refusal missing$/,
    because: 'an empty refusal and none are the same',
    only: ({ expected }) => textIn(expected) === '',
  },
  {
    kind: /^usage (in|out)put (audio|image|cacheWrite)$/,
    because: 'a count of zero is omitted',
    only: isDefault(0),
  },
  {
    kind: /^createdAtMs$/,
    because: 'the year 1970 means that the time is unknown',
    only: ({ expected }) => expected === 0,
  },
  {
    kind: /^createdAtMs$/,
    because: 'the wire counts seconds',
    only: ({ expected, got }) => Math.floor(Number(expected) / 1000) * 1000 === got,
  },
  { kind: /^extras /, because: 'null says as little as absence', only: ({ expected }) => expected === null },
  { kind: /^extras system_fingerprint$/, because: 'it names a build of its own provider’s servers' },
  { kind: /^modalities$/, because: 'text alone is what is made anyway', only: isDefault(['text']) },
  { kind: /^parallelToolCalls$/, because: 'several calls are allowed anyway', only: isDefault(true) },
  { kind: /^(presence|frequency)Penalty$/, because: 'no penalty is what holds anyway', only: isDefault(0) },
  { kind: /^store$/, because: 'not to store is what happens where nothing is stored', only: isDefault(false) },
];

function textIn(part: unknown): string | undefined {
  return typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : undefined;
}

const oneAuthority: KnownChange = { kind: /^authority$/, because: 'the format knows one kind of instruction only' };
const oneInstruction: KnownChange = {
  kind: /^instruction turns merged$/,
  because: 'all instructions stand in one field, each in a part of its own',
};
const noCallSeals: KnownChange = {
  kind: /^tool-call seal$/,
  because: 'calls of the format carry none; the relay remembers them by the id of the call',
};
const linkType: KnownChange = {
  kind: /^mediaType$/,
  because: 'a linked file tells its type itself',
  only: ({ got }) => got === undefined,
};
const sameBytes: KnownChange = {
  kind: /^document source$/,
  because: 'the text travels as its bytes',
  only: ({ expected, got }) => bytesOf(expected) === bytesOf(got),
};

function bytesOf(source: unknown): string {
  const { text, data } = source as { readonly text?: string; readonly data?: string };
  return data ?? Buffer.from(text ?? '').toString('base64');
}

const searchFields: KnownChange = {
  kind: /^hostedTools$/,
  because: 'the declaration of the search has fields that must be said, and its place among the others is fixed',
  only: ({ expected, got }) => isDeepStrictEqual(kindsOf(expected), kindsOf(got)),
};

function kindsOf(tools: unknown): string[] {
  return ((tools ?? []) as readonly { readonly kind: string; readonly value?: unknown; readonly search?: unknown }[])
    .map(({ kind, value, search }) => JSON.stringify([kind, value, search]))
    .sort();
}

const someThinking: KnownChange = {
  kind: /^thinking amount$/,
  because: 'thinking that is merely on is a medium effort',
  only: ({ expected, got }) => thinkingOf(expected).mode === 'on' && amountsOf(thinkingOf(got)).includes('medium'),
};

const wordForBudget: KnownChange = {
  kind: /^thinking budget$/,
  because: 'the format has named amounts of thinking',
  only: ({ expected, got }) => effortOfBudget(Number(expected)) === effortOfBudget(Number(got)),
};

function isMerelyOn({ expected, got }: Difference): boolean {
  return thinkingOf(expected).mode === 'on' && amountsOf(thinkingOf(got)).includes('adaptive');
}

function thinkingOf(thinking: unknown): Thinking {
  return (thinking ?? {}) as Thinking;
}

/** The schema without what closes its objects and without its own description. */
function closed(schema: unknown): unknown {
  const open: unknown = JSON.parse(
    JSON.stringify(schema ?? { type: 'object', properties: {} }, (key, value) =>
      key === 'additionalProperties' ? undefined : value,
    ),
  );
  if (typeof open !== 'object' || open === null) return open;
  const { description: _, ...rest } = open as Readonly<Record<string, unknown>>;
  return rest;
}

function isSoleTool(expected: unknown, got: unknown): boolean {
  const { kind, required, names = [] } = expected as Extract<ToolChoice, { kind: 'allowed' }>;
  return kind === 'allowed' && required && isDeepStrictEqual(got, { kind: 'tool', name: names[0] });
}

function writtenOut(schema: unknown): unknown {
  return new InlinedSchemas().of((schema ?? {}) as JsonSchema).schema;
}

const filterStruck: KnownChange = {
  kind: /^finish reason$/,
  because: 'the format has one word for both',
  only: ({ expected, got }) => expected === 'refusal' && got === 'content-filter',
};
const noTime: KnownChange = { kind: /^createdAtMs$/, because: 'the format does not say when a reply was made' };

const unnamedShape: KnownChange = {
  kind: /^output (name|strict)$/,
  because: 'a name only labels the shape, and every shape is held to',
};

const counts: KnownChange = { kind: /^usage (in|out)put/, because: 'clients demand numbers', only: isFilled(0) };

const known: Readonly<Record<FormatName, readonly (KnownChange & { readonly on?: readonly Passage[] })[]>> = {
  'openai-chat': [
    { kind: /^tool turns split$/, because: 'each result is a message of its own' },
    linkType,
    { kind: /^document as text$/, because: 'a document of plain text without a title is its text' },
    {
      kind: /^(thinking seal|redacted missing|thinking redacted)$/,
      on: ['reply', 'stream'],
      because: 'the relay remembers sealed thinking by the id of its call',
    },
    {
      kind: /^thinking missing$/,
      on: ['reply', 'stream'],
      because: 'so it does thinking that is nothing but its seal',
      only: ({ expected }) => textIn(expected) === '',
    },
    { kind: /^mediaType$/, on: ['reply', 'stream'], because: 'the caller asked for the kind of audio and knows it' },
    counts,
    filterStruck,
    someThinking,
    wordForBudget,
    searchFields,
  ],
  'openai-responses': [
    someThinking,
    wordForBudget,
    { kind: /^(assistant|tool) turns merged$/, because: 'adjacent items of the assistant are one turn' },
    { kind: /^tool strict$/, because: 'left out it would be on', only: ({ got }) => got === false },
    { kind: /^store$/, because: 'sealed thoughts need not be kept as well', only: ({ got }) => got === false },
    { kind: /^filename$/, because: 'a file must have a name', only: ({ expected }) => expected === undefined },
    filterStruck,
    {
      kind: /^(image missing|native invented)$/,
      on: ['reply', 'stream'],
      because: 'an image is the call that made it, which is read as a whole',
    },
    { kind: /^serviceTier$/, on: ['reply', 'stream'], because: 'a tier must be named', only: isFilled('default') },
    counts,
    noCallSeals,
    linkType,
    sameBytes,
    searchFields,
  ],
  'cohere-chat': [
    { kind: /^tool turns split$/, because: 'each result is a message of its own' },
    { kind: /^document as text$/, because: 'a document that is not to be cited is its text' },
    {
      kind: /^(thinking seal|redacted missing|thinking redacted)$/,
      on: ['reply', 'stream'],
      because: 'the relay remembers sealed thinking by the id of its call',
    },
    {
      kind: /^thinking missing$/,
      on: ['reply', 'stream'],
      because: 'so it does thinking that is nothing but its seal',
      only: ({ expected }) => textIn(expected) === '',
    },
    { kind: /^usage (in|out)put (?!total)/, because: 'the format counts what goes in and what comes out' },
    {
      kind: /^thinking amount$/,
      because: 'thinking that is on leaves the amount to the model',
      only: ({ expected, got }) =>
        thinkingOf(expected).mode === 'adaptive' &&
        ['on', 'medium'].some((amount) => amountsOf(thinkingOf(got)).includes(amount)),
    },
    {
      kind: /^tool parameters$/,
      because: 'a tool must have parameters, be they none',
      only: ({ expected, got }) => expected === undefined && isDeepStrictEqual(closed(expected), got),
    },
    { kind: /^tool strict$/, because: 'not to be held to a schema is what holds anyway', only: isDefault(false) },
    {
      kind: /^logprobs$/,
      because: 'tokens are said without their bytes',
      only: ({ expected, got }) => sameTokens(expected, got),
    },
    { kind: /^model$/, on: ['reply', 'stream'], because: 'the format does not name the model that answered' },
    filterStruck,
    noCallSeals,
    oneAuthority,
    linkType,
    sameJson,
    noTime,
    unnamedShape,
  ],
  'openai-completions': [
    {
      kind: /^logprobs$/,
      because: 'tokens are said without their bytes',
      only: ({ expected, got }) => sameTokens(expected, got),
    },
    filterStruck,
    counts,
    {
      kind: /^(text (text|missing|invented)|side|authority|tool-call links|.* turns? .*)$/,
      because: 'all texts make one prompt; the suite compares it whole',
    },
  ],
  'anthropic-messages': [
    {
      kind: /^maxOutputTokens$/,
      because: "the format requires a limit, which is the model's own where the caller set none",
      only: isFilled(131_313),
    },
    { kind: /^text invented$/, because: 'a turn must say something', only: ({ got }) => textIn(got) === '…' },
    {
      kind: /^serviceTier$/,
      because: 'priority is bought in advance and used by `auto`',
      only: ({ expected, got }) => expected === 'priority' && (got === 'auto' || got === undefined),
    },
    { kind: /^topP$/, because: 'the whole of the distribution is used anyway', only: isDefault(1) },
    {
      kind: /^(tool parameters|output schema)$/,
      because: 'a schema that is held to closes its objects, and holds its own description',
      only: ({ expected, got }) => isDeepStrictEqual(closed(expected), closed(got)),
    },
    { kind: /^output description$/, because: 'it is written in the schema' },
    noTime,
    { kind: /^(user|assistant|tool) turns merged$/, because: 'turns must alternate' },
    { kind: /^usage output text$/, because: 'it is what the other kinds leave' },
    { kind: /^serviceTier$/, on: ['reply', 'stream'], because: '`auto` names no tier', only: isDefault('auto') },
    counts,
    {
      kind: /^finish reason$/,
      because: 'the format has one word for both',
      only: ({ expected, got }) => expected === 'content-filter' && got === 'refusal',
    },
    {
      kind: /^thinking amount$/,
      because: 'thinking that is merely on leaves the amount to the model',
      only: isMerelyOn,
    },
    sameJson,
    oneAuthority,
    oneInstruction,
    noCallSeals,
    linkType,
    searchFields,
    unnamedShape,
  ],
  'gemini-generate': [
    { kind: /^empty turn missing$/, because: 'a turn must have a part' },
    { kind: /^text invented$/, because: 'a turn must have a part', only: ({ got }) => textIn(got) === '' },
    { kind: /^serviceTier$/, on: ['stream'], because: 'a stream tells its tier at the end, after the reply has begun' },
    { kind: /^serviceTier$/, because: 'the usual tier need not be asked for', only: isDefault('auto', 'default') },
    noTime,
    { kind: /^(assistant|tool) turns merged$/, because: 'pieces of an answer are one turn' },
    {
      kind: /^(tool parameters|output schema)$/,
      because: 'references are written out, and one value is a list of one',
      only: ({ expected, got }) => isDeepStrictEqual(writtenOut(expected), writtenOut(got)),
    },
    { kind: /^usage output text$/, because: 'it is what the other kinds leave', only: isOmitted },
    {
      kind: /^thinking amount$/,
      because: 'thinking that is merely on leaves the amount to the model',
      only: isMerelyOn,
    },
    { kind: /^extras /, on: ['stream'], because: 'in a stream they come beside the parts, in an event of their own' },
    { kind: /groundingMetadata$/, because: 'the sources are kept whole beside what was read of them' },
    { kind: /^usage input cacheWrite$/, because: 'a count of zero is omitted', only: isDefault(0) },
    {
      kind: /^logprobs$/,
      because: 'tokens are written without their bytes',
      only: ({ expected, got }) => sameTokens(expected, got),
    },
    { kind: /^tool strict$/, because: 'strict tools ask for the mode in which every call is held to its schema' },
    {
      kind: /^toolChoice$/,
      because: 'to allow one tool and demand a call is to demand that tool',
      only: ({ expected, got }) => isSoleTool(expected, got),
    },
    {
      kind: /^detail$|mediaResolution$/,
      because: 'a resolution that all images share is written once for the request',
    },
    sameJson,
    oneAuthority,
    oneInstruction,
    sameBytes,
    searchFields,
    unnamedShape,
  ],
};

/** The differences that are neither reported as losses nor explained by a known change. */
export function unexplained(
  differences: readonly Difference[],
  losses: readonly Loss[],
  through: readonly FormatName[],
  passage: Passage,
): Difference[] {
  const changes = [
    ...everywhere,
    ...through.flatMap((name) => known[name]).filter(({ on }) => on?.includes(passage) ?? true),
  ];
  return differences.filter((difference) => {
    const isKnown = changes.some(({ kind, only }) => kind.test(difference.kind) && (only?.(difference) ?? true));
    return !isKnown && !isReported(difference, losses);
  });
}

export function isReported({ kind, expected }: Difference, losses: readonly Loss[]): boolean {
  const type =
    kind === 'native missing' ? (expected as { readonly value?: { readonly type?: unknown } }).value?.type : '';
  if (typeof type === 'string' && type !== '' && losses.some(({ what }) => what.includes(type))) return true;
  // An unknown field is reported by its name.
  if (kind.startsWith('extras ')) return losses.some(({ what }) => what.includes(kind.slice('extras '.length)));
  return lossWords.some(([kinds, words]) => kinds.test(kind) && losses.some(({ what }) => words.test(what)));
}
