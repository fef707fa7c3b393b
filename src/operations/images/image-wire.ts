/** What an image provider's wire is, and which of a client's images it takes. Wires are pure. */

import type { EditImageRequest, GivenImage, ImageReply, MakeImageRequest } from '../images.ts';
import type { ProviderWire } from '../wire.ts';

export type MakeImageWire = ProviderWire<MakeImageRequest, ImageReply>;

export interface EditImageWire extends ProviderWire<EditImageRequest, ImageReply> {
  readonly takes: ImageTaking;
}

export interface ImageTaking {
  /** Besides bytes in memory, which every wire takes: `url` where the provider fetches URLs, `file` where it takes uploads. */
  readonly kinds: readonly GivenImage['kind'][];
  readonly mask: boolean;
}
