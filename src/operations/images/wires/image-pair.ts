/** Two wires of one service: it makes images from a prompt, and edits given ones by the same request with them in it. */

import type { Converted } from '../../../conversation/parts.ts';
import type { GivenImage, MakeImageRequest } from '../../images.ts';
import type { WrittenRequest } from '../../wire.ts';
import type { EditImageWire, ImageTaking, MakeImageWire } from '../image-wire.ts';

type Shared = Omit<MakeImageWire, 'operation' | 'writeRequest'> & { readonly takes: ImageTaking };

interface ImagePair {
  readonly makes: MakeImageWire;
  readonly edits: EditImageWire;
}

export function imagePair(
  { takes, ...shared }: Shared,
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
      takes,
      writeRequest: (request, model) => writeRequest(request, model, request.images),
    },
  };
}
