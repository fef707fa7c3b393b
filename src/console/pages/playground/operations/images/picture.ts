/** Reads the pictures of a reply: bytes that came with it, or an address where they lie. */

import { type Fields, listOf, textOf } from '../call.ts';
import { base64ToBytes } from '../sound/samples.ts';

export interface MadePicture {
  /** Absent where the picture lies elsewhere. */
  readonly blob: Blob | undefined;
  readonly url: string;
  readonly revisedPrompt: string;
  /** `png`, `jpeg`, `webp`. */
  readonly format: string;
}

/** Of dots and nothing else: a drawing that is text may hold a script, whoever declared it. */
const drawn: readonly string[] = ['png', 'jpeg', 'webp', 'gif', 'avif'];
const drawnInAddress = new RegExp(`^data:image/(${drawn.join('|')})[;,]`, 'i');

export function picturesOf(answer: Fields): readonly MadePicture[] {
  const declared = textOf(answer['output_format']);
  return listOf(answer['data']).map((row) => {
    const bytes = base64ToBytes(textOf(row['b64_json']));
    const format = drawn.includes(declared) ? declared : formatOf(bytes);
    const hasBytes = bytes !== undefined && bytes.length > 0;
    return {
      blob: hasBytes ? new Blob([bytes], { type: `image/${format}` }) : undefined,
      url: textOf(row['url']),
      revisedPrompt: textOf(row['revised_prompt']),
      format,
    };
  });
}

/** By the first bytes, where nobody says it. */
function formatOf(bytes: Uint8Array | undefined): string {
  if (bytes?.[0] === 0xff && bytes[1] === 0xd8) return 'jpeg';
  if (bytes?.[0] === 0x52 && bytes[8] === 0x57) return 'webp';
  return 'png';
}

/** The page may only show what lies on its own origin; the gateway's own results do, whatever name it is reached by. */
export function ownPath(url: string, origin: string): string | undefined {
  try {
    const { pathname, search, origin: place, protocol } = new URL(url, origin);
    if (protocol === 'data:') return drawnInAddress.test(url) ? url : undefined;
    const isOurs = place === origin || /^\/v1\/(results|video|videos)\//.test(pathname);
    return isOurs ? pathname + search : undefined;
  } catch {
    return undefined;
  }
}
