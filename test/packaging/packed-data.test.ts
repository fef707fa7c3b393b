/** What an executable carries in another form than its package has it must be the same data. */

import { expect, test } from 'bun:test';
import { withoutCustomSections } from '../../scripts/release/custom-sections.ts';

/** The smallest module: header, a custom section "a" with three bytes, a type section without types. */
const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const custom = [0x00, 0x05, 0x01, 0x61, 0x01, 0x02, 0x03];
const types = [0x01, 0x01, 0x00];

test('custom sections are removed wherever they are, and nothing else', async () => {
  const module = new Uint8Array([...header, ...custom, ...types, ...custom]);
  const small = withoutCustomSections(module);
  expect([...small]).toEqual([...header, ...types]);
  expect(await WebAssembly.compile(small)).toBeInstanceOf(WebAssembly.Module);
});

test('a size of several bytes is read', () => {
  const long = [0x00, 0x80, 0x01, ...new Array<number>(128).fill(7)];
  expect([...withoutCustomSections(new Uint8Array([...header, ...long, ...types]))]).toEqual([...header, ...types]);
});

test('a truncated module is refused', () => {
  const cut = new Uint8Array([...header, ...types, ...custom.slice(0, -1)]);
  expect(() => withoutCustomSections(cut)).toThrow('truncated');
  expect(() => withoutCustomSections(new Uint8Array([...header, 0x00, 0x80]))).toThrow('truncated');
});
