/** Two wires of one service: it makes images of a prompt, and changes given ones by the same request with them in it. */

import type { Converted } from '../../../conversation/parts.ts';
import type { EditImageRequest, GivenImage, ImageReply, MakeImageRequest } from '../../images.ts';
import type { ProviderWire, WrittenRequest } from '../../wire.ts';

type Shared = Omit<ProviderWire<MakeImageRequest, ImageReply>, 'operation' | 'writeRequest'>;

export interface ImagePair {
  readonly makes: ProviderWire<MakeImageRequest, ImageReply>;
  readonly edits: ProviderWire<EditImageRequest, ImageReply>;
}

export function imagePair(
  shared: Shared,
  writeRequest: (request: MakeImageRequest, model: string, images: readonly GivenImage[]) => Converted<WrittenRequest>,
): ImagePair {
  return {
    makes: {
      ...shared,
      operation: 'make-image',
      writeRequest: (request, model) => writeRequest(request, model, []),
    },
    edits: {
      ...shared,
      operation: 'edit-image',
      writeRequest: (request, model) => writeRequest(request, model, request.images),
    },
  };
}
