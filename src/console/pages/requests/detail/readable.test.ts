/** Proves that kept bodies lose nothing by being shown. */

import { expect, test } from 'bun:test';
import { readable } from './readable.ts';

test('JSON gets its lines', () => expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}'));
for (const text of ['', 'data: {"a":1}\n\ndata: [DONE]', '{"a":', '<script>alert(1)</script>']) {
  test(`“${text.slice(0, 12)}” stays as it is`, () => expect(readable(text)).toBe(text));
}
