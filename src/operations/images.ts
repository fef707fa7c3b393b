/** Images made from words, and images changed by them. */

import type { Extras } from '../conversation/parts.ts';
import type { Consumption } from './consumption.ts';
import type { FormFile } from './wire.ts';

interface ImageOptions {
  readonly model: string;
  readonly prompt: string;
  /** How many images. */
  readonly count: number;
  /** `1024x1024`, `auto`, … as the caller wrote it. */
  readonly size?: string;
  readonly quality?: string;
  readonly style?: string;
  readonly background?: string;
  /** `png`, `jpeg`, `webp`. */
  readonly outputFormat?: string;
  readonly outputCompression?: number;
  /** How the caller wants the image handed over; absent leaves it to the model's habit. */
  readonly handOver?: 'url' | 'base64';
  readonly moderation?: string;
  readonly seed?: number;
  readonly negativePrompt?: string;
  readonly user?: string;
  readonly stream: boolean;
  /** Unfinished images to show meanwhile. */
  readonly partialImages?: number;
  readonly extras?: Extras;
}

export type MakeImageRequest = ImageOptions;

/** An image that came with the request: its bytes, or where they are. */
export type GivenImage =
  | {
      readonly kind: 'bytes';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly mediaType: string;
      readonly filename?: string;
    }
  /** An upload that is not in memory; it becomes `bytes` only for a provider that cannot take it as a file. */
  | { readonly kind: 'file'; readonly file: FormFile }
  /** `field` is the caller's name of the field that holds it. */
  | { readonly kind: 'url'; readonly url: string; readonly field?: string }
  | { readonly kind: 'file-id'; readonly id: string };

export interface EditImageRequest extends ImageOptions {
  readonly images: readonly GivenImage[];
  /** Where it is transparent the image may change. */
  readonly mask?: GivenImage;
  readonly inputFidelity?: string;
}

export interface MadeImage {
  readonly source:
    | { readonly kind: 'base64'; readonly data: string; readonly mediaType: string }
    | { readonly kind: 'url'; readonly url: string };
  /** What the model made of the prompt. */
  readonly revisedPrompt?: string;
}

export interface ImageReply {
  readonly createdAtMs: number;
  readonly images: readonly MadeImage[];
  readonly size?: string;
  readonly quality?: string;
  readonly background?: string;
  readonly outputFormat?: string;
  readonly consumption: Consumption;
}

export type ImageEvent =
  | { readonly type: 'partial'; readonly index: number; readonly data: string }
  | { readonly type: 'completed'; readonly reply: ImageReply };
