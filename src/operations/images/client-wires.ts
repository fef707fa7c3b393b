/** The wires on which callers ask for pictures. */

import type { EditImageRequest, ImageReply, MakeImageRequest } from '../images.ts';
import type { ClientWire } from '../wire.ts';
import { openaiImageEditsClient } from './wires/openai-image-edits.ts';
import { openaiImagesClient } from './wires/openai-images.ts';

export type ImageClientWire = ClientWire<MakeImageRequest, ImageReply> | ClientWire<EditImageRequest, ImageReply>;

export const imageClientWires: readonly ImageClientWire[] = [openaiImagesClient, openaiImageEditsClient];
