/** Every wire by which a provider can be asked for a video. */

import type { VideoWire } from '../video-wire.ts';
import { dreamMachineVideo } from './dream-machine-video.ts';
import { falVideo } from './fal-video.ts';
import { generationsVideo } from './generations-video.ts';
import { klingVideo } from './kling-video.ts';
import { lumaVideo } from './luma-video.ts';
import { minimaxVideo } from './minimax-video.ts';
import { openaiVideos } from './openai-videos.ts';
import { replicateVideo } from './replicate-video.ts';
import { runwayVideo } from './runway-video.ts';
import { seedanceVideo } from './seedance-video.ts';
import { veoVideo } from './veo-video.ts';
import { wanVideo } from './wan-video.ts';

export const videoProviderWires: readonly VideoWire[] = [
  generationsVideo,
  openaiVideos,
  veoVideo,
  runwayVideo,
  minimaxVideo,
  wanVideo,
  seedanceVideo,
  klingVideo,
  falVideo,
  replicateVideo,
  lumaVideo,
  dreamMachineVideo,
];

export function videoWire(name: string): VideoWire | undefined {
  return videoProviderWires.find((wire) => wire.name === name);
}
