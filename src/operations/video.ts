/** A video made from words, images or another video: the request in neutral terms. */

import type { Tree } from '../conversation/json-tree.ts';
import type { Consumption } from './consumption.ts';
import type { GivenImage } from './images.ts';

/** An image or a video that came with the request: its bytes, an upload, or where it is. */
export type GivenMedium = Exclude<GivenImage, { readonly kind: 'file-id' }>;

export interface MakeVideoRequest {
  readonly model: string;
  readonly prompt: string;
  /** The first is where the video begins; further ones guide it, where a model takes several. */
  readonly images: readonly GivenMedium[];
  readonly lastFrame?: GivenMedium;
  /** The video to edit or to continue. */
  readonly video?: GivenMedium;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  /** `16:9`; beside or instead of a size. */
  readonly aspectRatio?: string;
  readonly fps?: number;
  readonly seed?: number;
  /** How many videos. */
  readonly count: number;
  readonly negativePrompt?: string;
  /** Fields for one provider alone, by that provider's name: passed on as they are, to that one only. */
  readonly extras: Readonly<Record<string, Tree>>;
}

/** What is known of a video; absent means unknown. */
export interface VideoFacts {
  readonly seconds?: number;
  readonly fps?: number;
  readonly width?: number;
  readonly height?: number;
  readonly seed?: number;
}

/** Where a finished video is. */
export type MadeVideo =
  | {
      readonly kind: 'url';
      readonly url: string;
      /** The provider requires its key for the download. Such a URL is on the provider's own host. */
      readonly needsKey: boolean;
    }
  | { readonly kind: 'base64'; readonly data: string; readonly mediaType: string };

/** How far the provider is. */
export type VideoProgress =
  | {
      readonly state: 'queued' | 'in_progress';
      /** 0 to 100, where the provider reports it. */
      readonly percent?: number;
      /** Replaces the ticket so far, where the next poll is another one. */
      readonly ticket?: VideoTicket;
      /** The next poll can be sent at once. */
      readonly askNow?: boolean;
    }
  | {
      readonly state: 'completed';
      readonly videos: readonly MadeVideo[];
      readonly facts: VideoFacts;
      /** What the provider reports it used; the worker fills in what the request fixes. */
      readonly consumption: Consumption;
    }
  | {
      readonly state: 'failed';
      /** `refused`: the provider will not make this. `failed`: it tried. `cancelled`: it was stopped. */
      readonly reason: 'refused' | 'failed' | 'cancelled';
      readonly message: string;
      /** Where the provider bills a failure and reports it. */
      readonly consumption?: Consumption;
    };

/** What must be stored to poll a provider again. Small: it is kept in a row. */
export type VideoTicket = Readonly<Record<string, string>>;
