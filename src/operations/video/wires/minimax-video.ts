/**
 * MiniMax video API: create a task, poll it, then retrieve the file; errors come inside of replies with status 200.
 * https://platform.minimax.io/docs/api-reference/video/generation/api/openapi.json (read 2026-11-16).
 */

import type { ErrorCode } from '../../../conversation/error-table.ts';
import { GatewayError } from '../../../conversation/gateway-error.ts';
import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { query } from '../../audio/address-parts.ts';
import type { MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoQuestion, VideoWire } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import {
  mediumAddress,
  nearest,
  type Resolution,
  reportFurtherImages,
  reportUnsupportedVideo,
  resolutionOf,
  takenExtras,
} from '../video-options.ts';
import { failedVideo, idOf, notTaken, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'minimax-video';
const said = ['images', 'lastFrame', 'seconds', 'width', 'height'] as const;
const written = [
  ...['model', 'prompt', 'duration', 'resolution', 'first_frame_image', 'last_frame_image'],
  ...['subject_reference', 'callback_url'],
];

/** Any other code is a failure that may have cost something. */
const codes: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [1002, 'upstream_rate_limited'],
  [1039, 'upstream_rate_limited'],
  [1004, 'provider_unavailable'],
  [1008, 'provider_unavailable'],
  [2049, 'provider_unavailable'],
  [1026, 'upstream_refused'],
  [1027, 'upstream_refused'],
  [2013, 'upstream_refused'],
]);

/** The request, or its result, violates the service's rules. */
const againstRules: readonly number[] = [1026, 1027];

interface Choices {
  readonly models: RegExp;
  readonly resolutions: readonly Resolution[];
  readonly seconds: readonly number[];
  readonly lastFrame: boolean;
}

const choices: readonly Choices[] = [
  { models: /^[TIS]2V-01/i, resolutions: ['720p'], seconds: [6], lastFrame: false },
  { models: /Hailuo-02/i, resolutions: ['512p', '768p', '1080p'], seconds: [6, 10], lastFrame: true },
];
const newest: Choices = { models: /./, resolutions: ['768p', '1080p'], seconds: [6, 10], lastFrame: false };

export const minimaxVideo: VideoWire = {
  name,
  takes: { imagesMax: 1, lastFrame: true, video: false, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 10_000,
  secondsByDefault: 6,
  secondsFor: (request, model) => shapeOf(request, rowFor(model), new LossList()).seconds,
  writeRequest: (request, { model, extras, hookUrl }) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, said, losses);
    const row = rowFor(model);
    const tree = {
      ...takenExtras(extras, written, losses),
      model,
      prompt: request.prompt,
      ...writeShape(request, row, losses),
      ...writeFrames(request, model, row, losses),
      ...defined('callback_url', hookUrl),
    };
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  readTicket,
  ask,
  readProgress,
};

function rowFor(model: string): Choices {
  return choices.find(({ models }) => models.test(model)) ?? newest;
}

function writeShape(request: MakeVideoRequest, row: Choices, losses: LossList): Tree {
  const { seconds, resolution } = shapeOf(request, row, losses);
  return { ...defined('duration', seconds), ...defined('resolution', resolution?.toUpperCase()) };
}

interface Shape {
  readonly seconds: number | undefined;
  readonly resolution: Resolution | undefined;
}

/** The largest resolution is made in the shortest length alone, and small ones only from an image. */
function shapeOf(request: MakeVideoRequest, row: Choices, losses: LossList): Shape {
  const { images, width, height } = request;
  const offered = row.resolutions.filter((one) => one !== '512p' || images.length > 0);
  const resolution = resolutionOf(request, offered);
  if (resolution !== undefined) losses.add('size', `${width ?? '?'}x${height ?? '?'} is made as ${resolution}`);
  const lengths = resolution === '1080p' ? row.seconds.slice(0, 1) : row.seconds;
  return { seconds: nearest(request.seconds, lengths, 'seconds', losses), resolution };
}

/** Older models of one kind take their image as a subject, not as a frame. */
function writeFrames(request: MakeVideoRequest, model: string, row: Choices, losses: LossList): Tree {
  const [first] = request.images;
  const { lastFrame } = request;
  reportFurtherImages(request, 1, losses);
  const begin = first === undefined ? undefined : mediumAddress(first, 'images[0]', losses);
  if (lastFrame !== undefined && !row.lastFrame) losses.add('last_frame', 'the model cannot take it');
  if (/^S2V/i.test(model)) {
    return begin === undefined ? {} : { subject_reference: [{ type: 'character', image: [begin] }] };
  }
  const end = lastFrame === undefined || !row.lastFrame ? undefined : mediumAddress(lastFrame, 'last_frame', losses);
  return { ...defined('first_frame_image', begin), ...defined('last_frame_image', end) };
}

const noReason = 'The provider gave no reason.';

interface Said {
  readonly code: number;
  readonly words: string;
}

/** A reply's own status; a reply without one is judged by its other fields. */
function saidOf({ base_resp: said }: Tree): Said {
  const { status_code: code, status_msg: words } = isObject(said) ? said : {};
  if (typeof code !== 'number' || code === 0) return { code: 0, words: noReason };
  return { code, words: textOr(words, noReason) };
}

function readTicket(reply: WireReply): VideoTicket {
  const tree = replyTree(reply);
  const { code, words } = saidOf(tree);
  if (code === 0) return { task: idOf(tree['task_id'], 'task_id') };
  const known = codes.get(code);
  if (known === undefined || known === 'upstream_refused') throw notTaken(words, known !== undefined);
  throw new GatewayError(known, `The provider did not take the video (${code}).`);
}

/** The task until it has a file, then the file until it has a URL. */
function ask({ task, file }: VideoTicket, { base }: VideoPlaces): VideoQuestion {
  const url =
    file === undefined
      ? `${base}/query/video_generation${query({ task_id: task })}`
      : `${base}/files/retrieve${query({ file_id: file })}`;
  return { method: 'GET', url };
}

function readProgress(reply: WireReply, ticket: VideoTicket): VideoProgress {
  const tree = replyTree(reply);
  const { code, words } = saidOf(tree);
  if (againstRules.includes(code)) return failedVideo('refused', words);
  const isFailed = tree['status'] === 'Fail';
  // A poll that was not answered says nothing about the task.
  if (code !== 0 && !isFailed) throw new SyntaxError(`The provider did not answer the question (${code}).`);
  if (ticket['file'] !== undefined) return readFile(tree, ticket);
  switch (tree['status']) {
    case 'Preparing':
    case 'Queueing':
      return { state: 'queued' };
    case 'Processing':
      return { state: 'in_progress' };
    case 'Fail':
      return failedVideo(reasonOf(words), words);
    case 'Success':
      return readFileName(tree, ticket);
    default:
      throw unknownState(tree['status']);
  }
}

/** The size is reported here and not with the file, so it is stored. */
function readFileName(tree: Tree, ticket: VideoTicket): VideoProgress {
  const { file_id: file, video_width: width, video_height: height } = tree;
  const sizes = { ...defined('width', positiveOf(width)), ...defined('height', positiveOf(height)) };
  if (file === undefined || file === null || file === '') return completed([], sizes);
  const remembered = Object.entries(sizes).map(([side, pixels]) => [side, String(pixels)]);
  const next = { ...ticket, ...Object.fromEntries(remembered), file: idOf(file, 'file_id') };
  return { state: 'in_progress', ticket: next, askNow: true };
}

function readFile({ file }: Tree, { width, height }: VideoTicket): VideoProgress {
  if (!isObject(file)) throw new SyntaxError('The reply holds no file.');
  const url = file['download_url'];
  const sizes = { ...defined('width', positiveOf(width)), ...defined('height', positiveOf(height)) };
  return completed(typeof url === 'string' && url !== '' ? [url] : [], sizes);
}

function completed(urls: readonly string[], facts: { width?: number; height?: number }): VideoProgress {
  const videos = urls.map((url) => ({ kind: 'url' as const, url, needsKey: false }));
  return { state: 'completed', videos, facts, consumption: { videos: videos.length } };
}
