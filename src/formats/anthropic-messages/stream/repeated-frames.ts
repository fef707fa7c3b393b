/** Events of the messages format with text mostly differ in `delta.text` alone. */

import { RepeatedJson } from '../../../conversation/texts/repeated-json.ts';

export function repeatedFrames(): RepeatedJson {
  return new RepeatedJson('text', ({ type, delta }) => (type === 'content_block_delta' ? delta : undefined));
}
