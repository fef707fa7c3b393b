/** The sandbox's answer to requests for pictures: checks the wishes, has each picture made, and says what was really drawn. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { EditImageRequest, ImageEvent, ImageReply, MadeImage, MakeImageRequest } from '../../operations/images.ts';
import { countWords } from '../pieces.ts';
import { readGivenPictures } from './given-pictures.ts';
import type { MadePicture, PictureJob } from './picture-job.ts';
import type { PictureThread } from './picture-thread.ts';
import { defaultSize, type PictureWishes, readWishes } from './picture-wishes.ts';

export interface PictureOptions {
  readonly thread: PictureThread;
  nowMs(): number;
  readonly signal?: AbortSignal | undefined;
}

export function makePictures(request: MakeImageRequest, options: PictureOptions): Promise<ImageReply> {
  return lastReply(makePictureEvents({ ...request, partialImages: 0 }, options));
}

export function editPictures(request: EditImageRequest, options: PictureOptions): Promise<ImageReply> {
  return lastReply(editPictureEvents({ ...request, partialImages: 0 }, options));
}

/** Drafts from coarse to fine, then the reply. */
export async function* makePictureEvents(
  request: MakeImageRequest,
  options: PictureOptions,
): AsyncGenerator<ImageEvent> {
  const wishes = readWishes(request);
  const size = wishes.size ?? defaultSize;
  yield* run(
    request,
    wishes,
    (seed, coarseness) => ({ kind: 'draw', ...termsOf(wishes), size, seed, coarseness }),
    options,
  );
}

export async function* editPictureEvents(
  request: EditImageRequest,
  options: PictureOptions,
): AsyncGenerator<ImageEvent> {
  const wishes = readWishes(request);
  const given = await readGivenPictures(request);
  const { size } = wishes;
  yield* run(
    request,
    wishes,
    (seed, coarseness) => ({ kind: 'edit', ...termsOf(wishes), ...given, size, seed, coarseness }),
    options,
  );
}

function termsOf({ prompt, negativePrompt, transparent, format, compression }: PictureWishes) {
  return { prompt, negativePrompt, transparent, format, compression };
}

/** How much smaller each draft is made, by how many are wanted. */
const draftSteps: readonly (readonly number[])[] = [[], [4], [8, 4], [8, 4, 2]];

async function* run(
  request: MakeImageRequest,
  wishes: PictureWishes,
  jobFor: (seed: number, coarseness: number) => PictureJob,
  { thread, signal, nowMs }: PictureOptions,
): AsyncGenerator<ImageEvent> {
  // Drafts are of the first picture: an event's index counts drafts and has no room for more.
  for (const [index, coarseness] of (draftSteps[wishes.partials] ?? []).entries()) {
    const draft = await thread.run(jobFor(wishes.seed, coarseness), signal);
    yield { type: 'partial', index, data: draft.data };
  }
  const made: MadePicture[] = [];
  for (let picture = 0; picture < wishes.count; picture += 1) {
    made.push(await thread.run(jobFor(wishes.seed + picture, 1), signal));
  }
  yield { type: 'completed', reply: replyOf(request, wishes, made, nowMs()) };
}

function replyOf(
  request: MakeImageRequest,
  { transparent, format }: PictureWishes,
  made: readonly MadePicture[],
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
  throw new GatewayError('internal_error', 'The pictures ended without a reply.');
}
