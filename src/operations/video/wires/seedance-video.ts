/**
 * Volcengine Ark video API (Seedance): a task with one list of contents, billed in tokens.
 * https://www.volcengine.com/docs/82379/1585128 (read 2026-11-16).
 */

import { countOf, defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { addressOf } from '../../images/inline-images.ts';
import type { GivenMedium, MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import { nearestShape, type Resolution, reportUnsupportedVideo, takenExtras, wholeWithin } from '../video-options.ts';
import { failedVideo, idOf, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'seedance-video';
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'];
const resolutions: readonly Resolution[] = ['480p', '720p', '1080p'];
const secondsLeast = 2;
const secondsMost = 30;
/** A length in frames would not be covered by the reservation. */
const written = ['model', 'content', 'duration', 'frames', 'callback_url'];
const said = ['images', 'lastFrame', 'video', 'seconds', 'width', 'height', 'aspectRatio', 'seed'] as const;

export const seedanceVideo: VideoWire = {
  name,
  takes: { imagesMax: 9, lastFrame: true, video: true, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 10_000,
  secondsByDefault: 5,
  secondsFor: (request) => lengthOf(request, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, said, losses);
    const tree = writeTree(request, writing, losses);
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  readTicket: (reply) => ({ id: idOf(replyTree(reply)['id'], 'id') }),
  ask: (ticket, places) => ({ method: 'GET', url: taskPlace(ticket, places) }),
  readProgress,
  // It cancels only what still waits, and reports that itself.
  cancel: (ticket, places) => ({ method: 'DELETE', url: taskPlace(ticket, places) }),
};

function lengthOf({ seconds }: MakeVideoRequest, losses: LossList): number | undefined {
  return wholeWithin(seconds, secondsLeast, secondsMost, 'seconds', losses);
}

function writeTree(request: MakeVideoRequest, writing: VideoWriting, losses: LossList): Tree {
  const { model, extras, hookUrl } = writing;
  const { ratio, resolution } = nearestShape(request, ratios, resolutions, losses);
  const own = {
    model,
    content: writeContent(request, losses),
    ...defined('resolution', resolution),
    ...defined('ratio', ratio),
    ...defined('duration', lengthOf(request, losses)),
    ...defined('seed', request.seed),
    ...defined('callback_url', hookUrl),
  };
  return { ...takenExtras(extras, [...written, ...Object.keys(own)], losses), ...own };
}

/** The service reads settings at the end of the prompt as well; the length is paid for under its own name. */
const lengthInPrompt = /\s*--(?:dur|duration|frames)(?:\s+|=)\S+/gi;

function promptOf({ prompt }: MakeVideoRequest, losses: LossList): string {
  const text = prompt.replaceAll(lengthInPrompt, '');
  if (text !== prompt) losses.add('prompt', 'the length is set by a field of the request itself');
  return text;
}

function writeContent(request: MakeVideoRequest, losses: LossList): Tree[] {
  const { images, lastFrame, video } = request;
  const text = promptOf(request, losses);
  const content: Tree[] = text === '' ? [] : [{ type: 'text', text }];
  const add = (field: string, type: 'image_url' | 'video_url', role: string, medium: GivenMedium): void => {
    const url = addressOf(medium);
    if (url === undefined) losses.add(field, 'cannot be taken as it came');
    else content.push({ type, [type]: { url }, role });
  };
  // The service takes frames or references, not both.
  const refers = video !== undefined || (images.length > 1 && lastFrame === undefined);
  if (refers && images.length > 0) losses.add('images[0]', 'guides the video and does not begin it');
  images.forEach((image, index) => {
    const field = `images[${index}]`;
    if (refers) add(field, 'image_url', 'reference_image', image);
    else if (index === 0) add(field, 'image_url', 'first_frame', image);
    else losses.add(field, 'cannot be combined with a last frame');
  });
  if (lastFrame !== undefined) {
    if (refers) losses.add('last_frame', 'cannot be combined with a video');
    else add('last_frame', 'image_url', 'last_frame', lastFrame);
  }
  if (video !== undefined) add('video', 'video_url', 'reference_video', video);
  return content;
}

function taskPlace({ id = '' }: VideoTicket, { create }: VideoPlaces): string {
  return `${create}/${pathSegment('id', id)}`;
}

function readProgress(reply: WireReply): VideoProgress {
  const tree = replyTree(reply);
  const { status, error } = tree;
  switch (status) {
    case 'queued':
      return { state: 'queued' };
    case 'running':
      return { state: 'in_progress' };
    case 'succeeded':
      return completed(tree);
    case 'failed':
    case 'expired': {
      const { code, message } = isObject(error) ? error : {};
      const words = textOr(message, textOr(code, status === 'expired' ? 'It took too long.' : ''));
      return failedVideo(reasonOf(`${textOr(code, '')} ${words}`), words);
    }
    case 'cancelled':
      return failedVideo('cancelled', '');
    default:
      throw unknownState(status);
  }
}

function completed({ content, usage, duration, framespersecond, seed }: Tree): VideoProgress {
  const url = isObject(content) ? content['video_url'] : undefined;
  const isThere = typeof url === 'string' && url !== '';
  const seconds = positiveOf(duration);
  const total = isObject(usage) ? (countOf(usage['completion_tokens']) ?? countOf(usage['total_tokens'])) : undefined;
  return {
    state: 'completed',
    videos: isThere ? [{ kind: 'url', url, needsKey: false }] : [],
    facts: {
      ...defined('seconds', seconds),
      ...defined('fps', positiveOf(framespersecond)),
      ...defined('seed', countOf(seed)),
    },
    consumption: {
      videos: 1,
      ...defined('videoSeconds', seconds),
      // What it reads is free of charge.
      ...(total !== undefined && { tokens: { input: { total: 0 }, output: { total } } }),
    },
  };
}
