/** Reads a large JSON object in slices of the event loop: bounded first, then parsed piece by piece. */

import type { Slices } from './in-slices.ts';
import { emptyBody, type JsonBody, objectOf, untrustedKeys } from './json-body.ts';
import { JsonPieces } from './json-pieces.ts';
import { ContainerEnds, type JsonLimits, JsonScan } from './json-scan.ts';

/** At most this is parsed at once: some milliseconds, whatever its content. */
export const smallBytesMax = 131_072;
const scannedBytesPerStep = 131_072;

export async function readInSlices(
  bytes: Uint8Array<ArrayBuffer>,
  limits: JsonLimits,
  slices: Slices,
): Promise<JsonBody> {
  if (bytes.length === 0) throw emptyBody();
  const ends = new ContainerEnds();
  const scan = new JsonScan(bytes, limits, ends);
  let until = 0;
  await slices.run({
    step() {
      until = Math.min(until + scannedBytesPerStep, bytes.length);
      return scan.run(until);
    },
  });
  const { fields } = scan;
  const pieces = new JsonPieces(bytes, ends);
  await slices.run(pieces);
  const tree = objectOf(pieces.value);
  // To print such a body again, as a small one is, would block the event loop for too long.
  if (fields === undefined) throw untrustedKeys(smallBytesMax);
  return { bytes, tree, fields };
}
