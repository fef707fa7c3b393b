import { expect, test } from 'bun:test';
import { isJsonType, passedType } from './content-types.ts';

test.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/problem+json', true],
  ['text/html; charset=json', false],
  ['text/html;x=application/json', false],
  ['application/jsonp', false],
  ['text/json-html', false],
  ['', false],
])('%s is JSON: %p', (contentType, expected) => {
  expect(isJsonType(contentType)).toBe(expected);
});

test.each([
  ['application/json; charset=utf-8', 'application/json'],
  ['audio/pcm;rate=24000', 'audio/pcm;rate=24000'],
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['Audio/MPEG; name="\u0001"', 'audio/mpeg'],
  ['text/plain; a=b\r\nx: y', 'text/plain'],
  ['audio/pcm;name=\u0142', 'audio/pcm'],
  ['image/svg+xml', 'application/octet-stream'],
  ['text/html; charset=json', 'application/octet-stream'],
  ['text/html', 'application/octet-stream'],
  ['application/javascript', 'application/octet-stream'],
  ['audio/x, text/html', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('%s is passed on as %s', (contentType, expected) => {
  expect(passedType(contentType)).toBe(expected);
});
