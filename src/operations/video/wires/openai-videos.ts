/**
 * OpenAI videos API (`/v1/videos`): a form, a job to poll, and the file behind the key that created it.
 * https://developers.openai.com/api/reference/overview (read 2026-11-15).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { filenameFor } from '../../images/inline-images.ts';
import type { GivenMedium, MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { FormField, FormFile, WireBody, WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import { nearest, nearestSize, reportFurtherImages, reportUnsupportedVideo, takenExtras } from '../video-options.ts';
import { failedVideo, idOf, percentOf, pixelsOf, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'openai-videos';
const written = ['model', 'prompt', 'seconds', 'size', 'input_reference'];
const said = ['images', 'seconds', 'width', 'height', 'aspectRatio'] as const;

interface Choices {
  readonly models: RegExp;
  readonly sizes: readonly string[];
  readonly seconds: readonly number[];
}

/** Models of the wire's vendor take these and nothing else; servers of other models take what their model can. */
const choices: readonly Choices[] = [
  {
    models: /^sora-2-pro/,
    sizes: ['1280x720', '720x1280', '1792x1024', '1024x1792', '1920x1080', '1080x1920'],
    seconds: [4, 8, 12, 16, 20],
  },
  { models: /^sora/, sizes: ['1280x720', '720x1280'], seconds: [4, 8, 12, 16, 20] },
];

export const openaiVideos: VideoWire = {
  name,
  // An edit or an extension names a video that the service itself keeps, by its id: another one has no place here.
  takes: { imagesMax: 1, lastFrame: false, video: false, kinds: ['file', 'url'] },
  countMax: 1,
  askEveryMs: 10_000,
  secondsByDefault: 4,
  secondsFor: (request, model) => lengthOf(request, model, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, said, losses);
    const options = optionsOf(request, writing, losses);
    const [image] = request.images;
    reportFurtherImages(request, 1, losses);
    const body = image?.kind === 'url' ? jsonOf(options, image.url) : formOf(options, image, losses);
    return { value: { body }, losses: losses.all };
  },
  readTicket: (reply) => ({ id: idOf(replyTree(reply)['id'], 'id') }),
  ask: (ticket, places) => ({ method: 'GET', url: placeOf(ticket, places) }),
  readProgress,
  // Deleting is for videos that are completed or failed, so a running one cannot be stopped.
};

function rowFor(model: string): Choices | undefined {
  return choices.find(({ models }) => models.test(model));
}

function lengthOf({ seconds }: MakeVideoRequest, model: string, losses: LossList): number | undefined {
  const row = rowFor(model);
  return row === undefined ? seconds : nearest(seconds, row.seconds, 'seconds', losses);
}

function optionsOf(request: MakeVideoRequest, { model, extras }: VideoWriting, losses: LossList): Tree {
  const row = rowFor(model);
  const size = row === undefined ? sizeAsAsked(request, losses) : nearestSize(request, row.sizes, losses);
  const length = lengthOf(request, model, losses);
  return {
    ...takenExtras(extras, written, losses),
    model,
    prompt: request.prompt,
    ...defined('seconds', length === undefined ? undefined : String(length)),
    ...defined('size', size),
  };
}

function sizeAsAsked({ width, height, aspectRatio }: MakeVideoRequest, losses: LossList): string | undefined {
  const isWhole = width !== undefined && height !== undefined;
  if (aspectRatio !== undefined) losses.add('aspect_ratio', 'has no counterpart at this provider');
  if (!isWhole && (width ?? height) !== undefined) losses.add('size', 'needs both a width and a height');
  return isWhole ? `${width}x${height}` : undefined;
}

function jsonOf(options: Tree, address: string): WireBody {
  return { kind: 'json', tree: { ...options, input_reference: { image_url: address } } };
}

function formOf(options: Tree, image: GivenMedium | undefined, losses: LossList): WireBody {
  const fields: FormField[] = [];
  for (const [field, value] of Object.entries(options)) {
    if (typeof value === 'object') losses.add(field, 'does not fit into a form');
    else fields.push({ name: field, value: String(value) });
  }
  const file = image === undefined ? undefined : fileOf(image);
  if (file !== undefined) fields.push({ name: 'input_reference', value: file });
  return { kind: 'form', fields };
}

function fileOf(image: GivenMedium): FormFile | undefined {
  if (image.kind === 'url') return undefined;
  const field = 'input_reference';
  if (image.kind === 'file') {
    const { file } = image;
    const filename = file.filename ?? filenameFor('reference', file.mediaType);
    return { field, filename, mediaType: file.mediaType, bytes: file.bytes, open: (piece) => file.open(piece) };
  }
  const { bytes, mediaType } = image;
  return {
    field,
    filename: image.filename ?? filenameFor('reference', mediaType),
    mediaType,
    bytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

function placeOf({ id = '' }: VideoTicket, { create }: VideoPlaces): string {
  return `${create}/${pathSegment('id', id)}`;
}

function readProgress(reply: WireReply, ticket: VideoTicket, places: VideoPlaces): VideoProgress {
  const { status, progress, seconds, size, error } = replyTree(reply);
  if (status === 'queued' || status === 'in_progress') {
    return { state: status, ...defined('percent', percentOf(progress)) };
  }
  if (status === 'failed') {
    const { code, message } = isObject(error) ? error : {};
    const words = textOr(message, textOr(code, 'The provider gave no reason.'));
    return failedVideo(reasonOf(`${textOr(code, '')} ${words}`), words);
  }
  if (status !== 'completed') throw unknownState(status);
  const length = positiveOf(seconds);
  return {
    state: 'completed',
    videos: [{ kind: 'url', url: `${placeOf(ticket, places)}/content`, needsKey: true }],
    facts: { ...defined('seconds', length), ...pixelsOf(size) },
    consumption: { videos: 1, ...defined('videoSeconds', length) },
  };
}
