/**
 * Google Veo predictLongRunning: an operation that is polled at Gemini or Vertex, whose samples are files or bytes.
 * https://ai.google.dev/gemini-api/docs/video (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { base64Of } from '../../images/inline-images.ts';
import type { GivenMedium, MadeVideo, MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoQuestion, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import { nearest, nearestShape, type Resolution, reportUnsupportedVideo, takenExtras } from '../video-options.ts';
import { failedVideo, idOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'veo-video';
const countMax = 4;
const ratios = ['16:9', '9:16'];
const starting = ':predictLongRunning';
const asking = ':fetchPredictOperation';
const said = [
  ...(['images', 'lastFrame', 'seconds', 'width', 'height', 'aspectRatio'] as const),
  ...(['seed', 'count', 'negativePrompt'] as const),
];

/** The operator decides where results and notices go, so these two are not for callers either. */
const written = [
  ...['sampleCount', 'durationSeconds', 'aspectRatio', 'resolution', 'seed', 'negativePrompt'],
  ...['storageUri', 'pubsubTopic'],
];

interface Choices {
  readonly models: RegExp;
  readonly seconds: readonly number[];
  readonly resolutions: readonly Resolution[];
}

const choices: readonly Choices[] = [
  { models: /veo-2/, seconds: [5, 6, 7, 8], resolutions: [] },
  { models: /veo-3\.0/, seconds: [4, 6, 8], resolutions: ['720p', '1080p'] },
];
const newest: Choices = { models: /./, seconds: [4, 6, 8], resolutions: ['720p', '1080p', '2160p'] };

export const veoVideo: VideoWire = {
  name,
  // A video to continue must be one that the service made itself and still keeps.
  takes: { imagesMax: 3, lastFrame: true, video: false, kinds: [] },
  countMax,
  askEveryMs: 10_000,
  secondsByDefault: 8,
  secondsFor: (request, model) => lengthOf(request, model, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, said, losses);
    const instance = { prompt: request.prompt, ...writeImages(request, losses) };
    const tree = { instances: [instance], parameters: writeParameters(request, writing, losses) };
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  readTicket: (reply) => ({ operation: operationOf(replyTree(reply)['name']) }),
  ask,
  readProgress,
};

function choicesFor(model: string): Choices {
  return choices.find(({ models }) => models.test(model)) ?? newest;
}

function lengthOf({ seconds }: MakeVideoRequest, model: string, losses: LossList): number | undefined {
  return nearest(seconds, choicesFor(model).seconds, 'seconds', losses);
}

function writeParameters(request: MakeVideoRequest, { model, extras }: VideoWriting, losses: LossList): Tree {
  const { count, seed, negativePrompt } = request;
  const { ratio, resolution } = nearestShape(request, ratios, choicesFor(model).resolutions, losses);
  if (count > countMax) losses.add('n', `one request makes at most ${countMax}`);
  return {
    ...takenExtras(extras, written, losses),
    ...(count > 1 && { sampleCount: Math.min(count, countMax) }),
    ...defined('durationSeconds', lengthOf(request, model, losses)),
    ...defined('aspectRatio', ratio),
    ...defined('resolution', resolution === '2160p' ? '4k' : resolution),
    ...defined('seed', seed),
    ...defined('negativePrompt', negativePrompt),
  };
}

/** One image begins the video; several can only guide it, and then nothing else may be given. */
function writeImages({ images, lastFrame }: MakeVideoRequest, losses: LossList): Tree {
  const [first, ...others] = images.map((image, index) => writeImage(image, `images[${index}]`, losses));
  const last = lastFrame === undefined ? undefined : writeImage(lastFrame, 'last_frame', losses);
  if (others.length === 0) return { ...defined('image', first), ...defined('lastFrame', last) };
  losses.add('images[0]', 'guides the video, beside other images, and does not begin it');
  if (last !== undefined) losses.add('last_frame', 'cannot be given beside several images');
  const guides = [first, ...others].filter((image) => image !== undefined);
  return { referenceImages: guides.map((image) => ({ image, referenceType: 'asset' })) };
}

function writeImage(image: GivenMedium, field: string, losses: LossList): Tree | undefined {
  if (image.kind === 'bytes') return { bytesBase64Encoded: base64Of(image), mimeType: image.mediaType };
  losses.add(field, 'the wire takes images in memory only');
  return undefined;
}

/** The name becomes a part of a URL, so only the characters of such names are accepted. */
function operationOf(value: unknown): string {
  const operation = idOf(value, 'name');
  const isPath = operation.split('/').every((part) => /^[\w.@~-]+$/.test(part) && !/^\.+$/.test(part));
  if (!isPath) throw new SyntaxError('The provider named its operation as no address can.');
  return operation;
}

/** An operation of a project is polled at its model, any other at its own name. */
function ask({ operation = '' }: VideoTicket, { create, base }: VideoPlaces): VideoQuestion {
  if (!operation.startsWith('projects/')) return { method: 'GET', url: `${base}/${operation}` };
  return { method: 'POST', url: create.replace(starting, asking), body: { operationName: operation } };
}

function readProgress(reply: WireReply, _ticket: VideoTicket, places: VideoPlaces): VideoProgress {
  const { done, error, response, name: operation } = replyTree(reply);
  // A running operation leaves `done` out; a reply that is no operation at all has no name either.
  if (done !== true) {
    if ((done !== undefined && done !== false) || typeof operation !== 'string') throw unknownState(done);
    return { state: 'in_progress' };
  }
  if (isObject(error)) return failureOf(error);
  if (!isObject(response)) throw new SyntaxError('The operation is done and says neither what it made nor why not.');
  const made = isObject(response['generateVideoResponse']) ? response['generateVideoResponse'] : response;
  const videos = listOf(made['generatedSamples'] ?? made['videos']).flatMap((sample) => videoOf(sample, places) ?? []);
  const reasons = listOf(made['raiMediaFilteredReasons']).filter((reason) => typeof reason === 'string');
  const filtered = Number(made['raiMediaFilteredCount'] ?? 0);
  if (videos.length === 0 && (reasons.length > 0 || filtered > 0)) {
    return failedVideo('refused', reasons[0] ?? 'What it made was filtered.');
  }
  return { state: 'completed', videos, facts: {}, consumption: { videos: videos.length } };
}

/** The codes are those of the service's RPC system: 1 is a cancelled operation. */
function failureOf({ code, message }: Readonly<Record<string, unknown>>): VideoProgress {
  const words = textOr(message, 'The provider gave no reason.');
  return failedVideo(code === 1 ? 'cancelled' : reasonOf(words), words);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A sample holds its video, an entry of the other list is one. */
function videoOf(sample: unknown, places: VideoPlaces): MadeVideo | undefined {
  if (!isObject(sample)) return undefined;
  const { uri, gcsUri, encodedVideo, bytesBase64Encoded, encoding, mimeType } = isObject(sample['video'])
    ? sample['video']
    : sample;
  const data = encodedVideo ?? bytesBase64Encoded;
  const mediaType = textOr(mimeType ?? encoding, 'video/mp4');
  if (typeof data === 'string' && data !== '') return { kind: 'base64', data, mediaType };
  const address = [uri, gcsUri].find((one) => typeof one === 'string' && one !== '');
  if (typeof address !== 'string') return undefined;
  const url = address.replace(/^gs:\/\//, 'https://storage.googleapis.com/');
  // The key is sent to its own host and to no other.
  return { kind: 'url', url, needsKey: URL.parse(url)?.origin === URL.parse(places.base)?.origin };
}
