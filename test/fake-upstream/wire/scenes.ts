/**
 * The scenes of the compatibility matrix as data: what a caller asks and what the scripted provider
 * answers, shared by both sides.
 */

import { sized } from '../../harness/size.ts';

export type SceneName =
  | 'text'
  | 'tools'
  | 'parallel'
  | 'images'
  | 'thinking'
  | 'schema'
  | 'long'
  | 'refusal'
  | 'busy'
  | 'wrong'
  | 'fault-first'
  | 'cut-reset'
  | 'cut-end'
  | 'late-reset'
  /** The request must be right, whatever it asks. */
  | 'checked'
  /** Nothing is demanded at all: for what only the forward lane can carry. */
  | 'free';

/**
 * What the caller's format does not support, so that the provider does not demand it: `nostop` no stop sequences,
 * `prompt` a bare prompt, `data` no images by URL, `unchosen` no forced tool, `unsealed` no signatures returned,
 * `unnamed` no ids of calls returned. `noid`: the provider's replies have no id.
 */
export type SceneFlag = 'nostop' | 'prompt' | 'data' | 'unchosen' | 'unsealed' | 'unnamed' | 'noid';

export interface Scene {
  readonly name: SceneName;
  readonly flags: ReadonlySet<string>;
}

export function modelOf(name: SceneName, flags: readonly SceneFlag[]): string {
  return [name, ...flags].join('+');
}

export function sceneOf(model: string): Scene {
  const [name = '', ...flags] = model.split(/[+:]/);
  return { name: name as SceneName, flags: new Set(flags) };
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly property: string;
}

export const tools: readonly ToolSpec[] = [
  { name: 'get_weather', description: 'The weather of a city.', property: 'city' },
  { name: 'get_time', description: 'The time in a place.', property: 'place' },
];

/** An object schema as every library types it. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Record<string, { type: 'string' | 'number'; description?: string }>;
  readonly required: string[];
  readonly additionalProperties: false;
  [keyword: string]: unknown;
}

export function schemaOfTool({ property }: ToolSpec): ObjectSchema {
  return {
    type: 'object',
    properties: { [property]: { type: 'string', description: 'Its "name".' } },
    required: [property],
    additionalProperties: false,
  };
}

export interface CallSpec {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
  /** What the caller answers to it. */
  readonly result: string;
}

const paris: CallSpec = { name: 'get_weather', input: { city: 'Paris, "the" city\n— été' }, result: '18 degrees' };

export const calls: Readonly<Partial<Record<SceneName, readonly CallSpec[]>>> = {
  tools: [paris],
  thinking: [paris],
  parallel: [
    paris,
    { name: 'get_weather', input: { city: 'Oslo' }, result: '7 degrees' },
    { name: 'get_time', input: { place: 'Tokyo' }, result: '09:30' },
  ],
};

export const conversation = {
  system: 'You are terse.',
  greeting: 'Hello.',
  greeted: 'Hi there.',
  question: 'Why is a weir called a weir?',
} as const;

export const image = {
  url: 'https://pictures.example/river.png',
  mediaType: 'image/png',
  /** One transparent pixel. */
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
} as const;

export const sampling = { temperature: 0.25, maxTokens: 256, stop: 'END.' } as const;

export const weatherSchema: ObjectSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'number' } },
  required: ['city', 'celsius'],
  additionalProperties: false,
};

const longDeltas = sized(200, 2_000);

/** Texts with everything that a careless writer breaks: quotes, line ends, astral characters, leading and trailing space. */
export const answers = {
  text: ' It "dams" the stream:\n\n\tnot all of it — 水 🌊, and </b> stays. ',
  beside: 'I will look that up.',
  after: 'It is 18 degrees in Paris.',
  images: 'One pixel and one river.',
  thought: 'The user wants the weather, so I call "get_weather".\nParis it is.',
  schema: '{"city":"Paris","celsius":18.5}',
  refusal: 'I cannot help with that.',
  cut: 'This sentence has no',
  late: 'This sentence was whole before the line broke.',
} as const;

export const faults = {
  busy: { status: 429, message: 'The scripted provider has too much to do: slow down.' },
  'fault-first': { status: 503, message: 'The scripted provider lies down for a moment.' },
  wrong: { status: 400, message: 'The scripted provider does not like the number 13.' },
} as const;

/** Every reply of every provider used this much, cached input included. */
export const usage = { input: 120, cached: 20, output: 30, thinking: 10 } as const;

export function longText(): string {
  return Array.from({ length: longDeltas }, (_, index) => `${index} `).join('');
}
