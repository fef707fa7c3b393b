/** Proves that a prompt is read from both kinds of stored request, and that there is none where there is none. */

import { expect, test } from 'bun:test';
import { promptIn } from './prompt-in.ts';

test('from JSON and from the lines of a form', () => {
  expect(promptIn('{"model":"m","prompt":"A boat\\nat sea"}')).toBe('A boat\nat sea');
  expect(promptIn('model: m\nprompt: A boat at sea\nimage: (a.png, image/png, 5 bytes; not kept)')).toBe(
    'A boat at sea',
  );
});

test('nothing where nothing was said, or the text was cut', () => {
  for (const text of ['', '{}', '{"prompt":7}', '{"prompt":""}', '{"prompt":"A bo', 'null', '[]']) {
    expect(promptIn(text)).toBeUndefined();
  }
});
