/** Every wire by which a video can be ordered from a provider. */

import type { VideoWire } from '../video-wire.ts';
import { dreamMachineVideo } from './wires/dream-machine-video.ts';
import { falVideo } from './wires/fal-video.ts';
import { generationsVideo } from './wires/generations-video.ts';
import { klingVideo } from './wires/kling-video.ts';
import { lumaVideo } from './wires/luma-video.ts';
import { minimaxVideo } from './wires/minimax-video.ts';
import { openaiVideos } from './wires/openai-videos.ts';
import { replicateVideo } from './wires/replicate-video.ts';
import { runwayVideo } from './wires/runway-video.ts';
import { seedanceVideo } from './wires/seedance-video.ts';
import { veoVideo } from './wires/veo-video.ts';
import { wanVideo } from './wires/wan-video.ts';

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
