/** Chat chunks with text mostly differ in `choices[0].delta.content` alone. */

import { isObject } from '../../../conversation/json-tree.ts';
import { RepeatedJson } from '../../../conversation/texts/repeated-json.ts';

export function repeatedChunks(): RepeatedJson {
  return new RepeatedJson('content', ({ choices }) => {
    const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
    return isObject(choice) ? choice['delta'] : undefined;
  });
}
