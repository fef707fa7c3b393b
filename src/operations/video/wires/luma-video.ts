/** Luma video API (`ray-3.2`): submit a generation, then poll it. https://docs.agents.lumalabs.ai (read 2026-11-16). */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { base64Of } from '../../images/inline-images.ts';
import type { GivenMedium, MadeVideo, MakeVideoRequest, VideoProgress } from '../../video.ts';
import type { VideoWire } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import {
  nearest,
  nearestShape,
  type Resolution,
  reportFurtherImages,
  reportUnsupportedVideo,
  takenExtras,
} from '../video-options.ts';
import { failedVideo, idOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'luma-video';
const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'];
const resolutions: readonly Resolution[] = ['360p', '540p', '720p', '1080p'];
const secondsByDefault = 5;
const lengths = [5, 10];
/** A video that begins or ends with an image is this long and no longer. */
const framedLengths = [5];
const written = ['model', 'type', 'prompt', 'aspect_ratio', 'source', 'video', 'image_ref'];

export const lumaVideo: VideoWire = {
  name,
  takes: { imagesMax: 1, lastFrame: true, video: false, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 5_000,
  secondsByDefault,
  secondsFor: (request) => lengthOf(request, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    const said = ['images', 'lastFrame', 'seconds', 'width', 'height', 'aspectRatio'] as const;
    reportUnsupportedVideo(request, said, losses);
    reportFurtherImages(request, 1, losses);
    const { ratio, resolution } = nearestShape(request, ratios, resolutions, losses);
    const tree = {
      ...takenExtras(writing.extras, written, losses),
      model: writing.model,
      type: 'video',
      prompt: request.prompt,
      ...defined('aspect_ratio', ratio),
      video: {
        ...defined('resolution', resolution),
        // Always written: it is what was reserved.
        duration: `${lengthOf(request, losses)}s`,
        ...defined('start_frame', frameOf(request.images[0], 'images[0]', losses)),
        ...defined('end_frame', frameOf(request.lastFrame, 'last_frame', losses)),
      },
    };
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  readTicket: (reply) => ({ id: idOf(replyTree(reply)['id'], 'id') }),
  ask: ({ id = '' }, { base }) => ({ method: 'GET', url: `${base}/generations/${pathSegment('id', id)}` }),
  readProgress,
};

function lengthOf({ seconds, images, lastFrame }: MakeVideoRequest, losses: LossList): number {
  const isFramed = images.length > 0 || lastFrame !== undefined;
  return nearest(seconds, isFramed ? framedLengths : lengths, 'seconds', losses) ?? secondsByDefault;
}

function frameOf(medium: GivenMedium | undefined, field: string, losses: LossList): Tree | undefined {
  if (medium?.kind === 'url') return { url: medium.url };
  if (medium?.kind === 'bytes') return { data: base64Of(medium), media_type: medium.mediaType };
  if (medium !== undefined) losses.add(field, 'cannot be taken as it came');
  return undefined;
}

function readProgress(reply: WireReply): VideoProgress {
  const { state, output, failure_code: code, failure_reason: reason } = replyTree(reply);
  switch (state) {
    case 'queued':
      return { state: 'queued' };
    case 'processing':
      return { state: 'in_progress' };
    case 'completed': {
      const videos = videosIn(output);
      return { state: 'completed', videos, facts: {}, consumption: { videos: videos.length } };
    }
    case 'failed': {
      const words = textOr(reason, textOr(code, 'The provider gave no reason.'));
      return failedVideo(code === 'content_moderated' ? 'refused' : reasonOf(words), words);
    }
    default:
      throw unknownState(state);
  }
}

/** A file of another kind may be listed beside the video, such as its single frames. */
function videosIn(output: unknown): readonly MadeVideo[] {
  const list = Array.isArray(output) ? output.filter(isObject) : [];
  return list.flatMap(({ type, url }): MadeVideo[] =>
    (typeof type !== 'string' || type.startsWith('video')) && typeof url === 'string' && url !== ''
      ? [{ kind: 'url', url, needsKey: false }]
      : [],
  );
}
