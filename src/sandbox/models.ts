/** The sandbox's models as data: names, descriptions and behavior. */

import type { ParameterName } from '../conversation/parameters.ts';

type SandboxFault = 'stall' | 'cut' | 'rate-limit' | 'server-error' | 'malformed';

export interface SandboxModel {
  readonly id: string;
  readonly description: string;
  readonly contextTokens: number;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] };
  /** Absent means that it answers as the plain chat model does. */
  readonly voice?: 'refuse' | 'long';
  /** Thinks before it answers, and signs its thoughts and tool calls. */
  readonly thinks?: boolean;
  readonly fault?: SandboxFault;
  /** Its operations, where it does not converse. */
  readonly operations?: readonly string[];
  /** The outcome of video tasks; absent means the video as soon as it is rendered. */
  readonly video?: 'late' | 'failure';
  /** The delay of the first event, and the least delay between deltas. */
  readonly firstEventMs?: number;
  readonly paceMsMin?: number;
}

const contextTokens = 1_000_000;
const modalities = { input: ['text', 'image', 'audio', 'file'], output: ['text'] } as const;
const row = (id: string, description: string, behavior: Partial<SandboxModel> = {}): SandboxModel => ({
  id,
  description,
  contextTokens,
  modalities,
  ...behavior,
});

const makesVideo = {
  operations: ['make-video'],
  modalities: { input: ['text', 'image'], output: ['video'] },
} as const;

export const sandboxModels: readonly SandboxModel[] = [
  row(
    'sandbox-chat',
    'Rules instead of a model: quotes and counts what it got, does sums, calls tools with valid arguments, writes JSON that fits a schema, names the size of images. Free, offline, the same answer every time.',
  ),
  row(
    'sandbox-reasoner',
    'Answers as sandbox-chat does and thinks first: what it got, which tool it picks and why. Signs its thoughts and calls, and says on the next turn whether the signatures came back unharmed.',
    { thinks: true },
  ),
  row('sandbox-slow', 'Answers as sandbox-chat does, one second late and then slowly.', {
    firstEventMs: 1000,
    paceMsMin: 100,
  }),
  row('sandbox-stall', 'Streams three deltas and then nothing, forever; without streaming it never answers.', {
    fault: 'stall',
  }),
  row('sandbox-cut', 'Breaks off in the middle: the stream fails without its end, a whole reply ends short.', {
    fault: 'cut',
  }),
  row('sandbox-429', 'Refuses every request with 429 and asks to retry after one second.', { fault: 'rate-limit' }),
  row('sandbox-500', 'Fails every request with 500.', { fault: 'server-error' }),
  row('sandbox-malformed', 'Answers 200 with broken JSON; in a stream one event after three good deltas is broken.', {
    fault: 'malformed',
  }),
  row('sandbox-refuse', 'Declines every request with a refusal.', { voice: 'refuse' }),
  row('sandbox-long', 'Writes 5,000 words, or as many as the message asks for, up to 20,000.', { voice: 'long' }),
  row(
    'sandbox-embed',
    'Vectors of letters and words: similar texts lie close. 256 dimensions, or as many as asked for.',
    {
      operations: ['embed'],
      modalities: { input: ['text'], output: ['embedding'] },
    },
  ),
  row('sandbox-rerank', 'Orders documents by the words they share with a query.', {
    operations: ['rerank'],
    modalities: { input: ['text'], output: ['text'] },
  }),
  row('sandbox-moderate', 'Judges texts by word lists and patterns, in every category.', {
    operations: ['moderate'],
    modalities: { input: ['text'], output: ['text'] },
  }),
  row('sandbox-image', 'Draws a simple scene from the words of a prompt, and edits images, inside the mask only.', {
    operations: ['make-image', 'edit-image'],
    modalities: { input: ['text', 'image'], output: ['image'] },
  }),
  row(
    'sandbox-video',
    'Pans over a scene drawn from the words of a prompt, as a real H.264 MP4: up to 1280x720, 30 frames a second and 20 seconds, from and to an image where they are given.',
    makesVideo,
  ),
  row('sandbox-video-slow', 'Makes the same videos and takes twenty seconds for each.', {
    ...makesVideo,
    video: 'late',
  }),
  row('sandbox-video-fail', 'Accepts every video request and fails a second later.', {
    ...makesVideo,
    video: 'failure',
  }),
  row('sandbox-speak', 'Speaks English with three small voices; wav, pcm, flac and mp3.', {
    operations: ['speak'],
    modalities: { input: ['text'], output: ['audio'] },
  }),
  row(
    'sandbox-transcribe',
    'Detects speech; knows the words of what sandbox-speak said, and says so where it does not.',
    {
      operations: ['transcribe', 'translate'],
      modalities: { input: ['audio'], output: ['text'] },
    },
  ),
  row(
    'sandbox-realtime',
    'Holds live conversations over a WebSocket: answers text as sandbox-chat does, speaks, detects speech without understanding it, calls tools, can be interrupted.',
    {
      operations: ['converse-live'],
      modalities: { input: ['text', 'audio', 'image'], output: ['text', 'audio'] },
    },
  ),
];

/** The parameters that change its answer. Undefined where it does not converse. */
export function parametersOf({ operations, voice, thinks }: SandboxModel): readonly ParameterName[] | undefined {
  if (operations !== undefined) return undefined;
  if (voice !== undefined) return voice === 'long' ? ['maxOutputTokens', 'stop'] : ['maxOutputTokens'];
  return thinks === true ? [...effective, 'thinking'] : effective;
}

const effective: readonly ParameterName[] = [
  'maxOutputTokens',
  'stop',
  'seed',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  'jsonOutput',
  'schemaOutput',
];

const byId: ReadonlyMap<string, SandboxModel> = new Map(sandboxModels.map((model) => [model.id, model]));

export function findModel(id: string): SandboxModel | undefined {
  return byId.get(id);
}
