/** Proves which scheme is offered for a URL without one, and that one with a scheme is left as it is. */

import { expect, test } from 'bun:test';
import { withScheme } from './url-scheme.ts';

for (const [text, whole] of [
  ['127.0.0.1:24090/v1', 'http://127.0.0.1:24090/v1'],
  ['localhost:11434/v1', 'http://localhost:11434/v1'],
  ['192.168.1.20:8000/v1', 'http://192.168.1.20:8000/v1'],
  ['172.20.0.5/v1', 'http://172.20.0.5/v1'],
  ['172.200.0.5/v1', 'https://172.200.0.5/v1'],
  ['[::1]:8000/v1', 'http://[::1]:8000/v1'],
  ['gpu-box:8000/v1', 'http://gpu-box:8000/v1'],
  ['models.lan/v1', 'http://models.lan/v1'],
  [' api.example.com/v1 ', 'https://api.example.com/v1'],
  ['//api.example.com/v1', 'https://api.example.com/v1'],
  ['http://api.example.com/v1', undefined],
  ['ftp://api.example.com', undefined],
  ['', undefined],
] as const) {
  test(`${text} becomes ${whole ?? 'nothing else'}`, () => expect(withScheme(text)).toBe(whole));
}
