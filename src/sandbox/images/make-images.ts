/** Answers image requests: checks the options, runs each image on the thread, describes what was drawn. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EditImageRequest, ImageEvent, ImageReply, MadeImage, MakeImageRequest } from '../../operations/images.ts';
import { countWords } from '../tokens.ts';
import type { ImageJob, ImageResult } from './image-job.ts';
import { defaultSize, type ImageOptions, readImageOptions } from './image-options.ts';
import type { ImageThread } from './image-thread.ts';
import { readInputImages } from './input-images.ts';

interface MakeOptions {
  readonly thread: ImageThread;
  nowMs(): number;
  readonly signal?: AbortSignal | undefined;
}

export function makeImages(request: MakeImageRequest, options: MakeOptions): Promise<ImageReply> {
  return lastReply(makeImageEvents({ ...request, partialImages: 0 }, options));
}

export function editImages(request: EditImageRequest, options: MakeOptions): Promise<ImageReply> {
  return lastReply(editImageEvents({ ...request, partialImages: 0 }, options));
}

/** Drafts from coarse to fine, then the reply. */
export async function* makeImageEvents(request: MakeImageRequest, options: MakeOptions): AsyncGenerator<ImageEvent> {
  const checked = readImageOptions(request);
  const size = checked.size ?? defaultSize;
  yield* run(request, checked, (job) => ({ kind: 'draw', ...job, size }), options);
}

export async function* editImageEvents(request: EditImageRequest, options: MakeOptions): AsyncGenerator<ImageEvent> {
  const checked = readImageOptions(request);
  const input = await readInputImages(request);
  yield* run(request, checked, (job) => ({ kind: 'edit', ...job, ...input, size: checked.size }), options);
}

/** How many times smaller each draft is drawn, by the number of drafts. */
const draftSteps: readonly (readonly number[])[] = [[], [4], [8, 4], [8, 4, 2]];

type JobTerms = Omit<Extract<ImageJob, { kind: 'draw' }>, 'kind' | 'size'>;

async function* run(
  request: MakeImageRequest,
  checked: ImageOptions,
  jobOf: (terms: JobTerms) => ImageJob,
  { thread, signal, nowMs }: MakeOptions,
): AsyncGenerator<ImageEvent> {
  const { prompt, negativePrompt, transparent, format, compression } = checked;
  const make = (seed: number, coarseness: number): Promise<ImageResult> =>
    thread.run(jobOf({ prompt, negativePrompt, transparent, format, compression, seed, coarseness }), signal);
  // Drafts show the first image: an event's index counts drafts only.
  for (const [index, coarseness] of (draftSteps[checked.partials] ?? []).entries()) {
    yield { type: 'partial', index, data: (await make(checked.seed, coarseness)).data };
  }
  const made: ImageResult[] = [];
  for (let image = 0; image < checked.count; image += 1) made.push(await make(checked.seed + image, 1));
  yield { type: 'completed', reply: replyOf(request, checked, made, nowMs()) };
}

function replyOf(
  request: MakeImageRequest,
  { transparent, format }: ImageOptions,
  made: readonly ImageResult[],
  createdAtMs: number,
): ImageReply {
  const [first] = made;
  return {
    createdAtMs,
    images: made.map(
      ({ data, description }): MadeImage => ({
        source: { kind: 'base64', data, mediaType: `image/${format}` },
        revisedPrompt: description,
      }),
    ),
    ...(first === undefined ? {} : { size: `${first.width}x${first.height}` }),
    ...(request.quality === undefined ? {} : { quality: request.quality }),
    background: transparent ? 'transparent' : 'opaque',
    outputFormat: format,
    consumption: {
      images: made.length,
      tokens: { input: { total: countWords(request.prompt) }, output: { total: 0 } },
    },
  };
}

async function lastReply(events: AsyncIterable<ImageEvent>): Promise<ImageReply> {
  for await (const event of events) if (event.type === 'completed') return event.reply;
  throw new GatewayError('internal_error', 'The images ended without a reply.');
}
