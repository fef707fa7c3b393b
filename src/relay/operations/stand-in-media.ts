/** Placeholders for images and videos of a request that is only explained: nothing is fetched and no upload is read. */

import { withImages } from '../../operations/images/given-images.ts';
import type { EditImageRequest, GivenImage } from '../../operations/images.ts';
import { type RequestMedia, unreadyFor } from './fetch-media.ts';

/** What a wire does with an image does not depend on its content. */
const emptyBytes = new Uint8Array(1);

export class StandInMedia implements RequestMedia {
  readyFor(request: EditImageRequest, wire: string, fetchesNothing: boolean): Promise<EditImageRequest> | undefined {
    const unready = unreadyFor(request, wire, fetchesNothing);
    return unready.length === 0 ? undefined : Promise.resolve(withImages(request, standIns(unready)));
  }

  async take(unready: readonly GivenImage[], types: readonly string[]): Promise<ReadonlyMap<GivenImage, GivenImage>> {
    return standIns(unready, types[0]);
  }
}

function standIns(unready: readonly GivenImage[], mediaType = 'image/png'): ReadonlyMap<GivenImage, GivenImage> {
  return new Map(
    unready.map((given) => {
      const known = given.kind === 'file' ? given.file.mediaType : mediaType;
      return [given, { kind: 'bytes', bytes: emptyBytes, mediaType: known }];
    }),
  );
}
