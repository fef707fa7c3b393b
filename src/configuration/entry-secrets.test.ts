import { expect, test } from 'bun:test';
import { secretsOf, shownEntry, splitEntry, unseenHeaders, withUnseen } from './entry-secrets.ts';

const entry = {
  kind: 'openai-chat',
  headers: { 'X-Title': 'Weir', 'x-api-key': 'short', 'x-opaque': 'abcdefgh12345678' },
  proxy: 'http://me:pass@proxy:8080',
};

test('headers and the proxy are kept apart from the rest', () => {
  expect(splitEntry(entry)).toEqual({
    open: { kind: 'openai-chat' },
    secret: { headers: entry.headers, proxy: entry.proxy },
  });
  expect(splitEntry({ kind: 'x' })).toEqual({ open: { kind: 'x' }, secret: undefined });
});

test('what may be a credential is not shown, and comes back as it was', () => {
  const shown = shownEntry(entry);
  expect(shown).toEqual({
    kind: 'openai-chat',
    headers: { 'X-Title': 'Weir', 'x-api-key': '(hidden)', 'x-opaque': '(hidden)' },
    proxy: 'http://me:***@proxy:8080/',
  });
  expect(withUnseen(shown, entry)).toEqual(entry);
  const changed = withUnseen({ ...shown, headers: { 'x-api-key': 'new' }, proxy: 'none' }, entry);
  expect(changed).toEqual({ kind: 'openai-chat', headers: { 'x-api-key': 'new' }, proxy: 'none' });
  expect(unseenHeaders(withUnseen({ headers: { 'x-other-key': '(hidden)' } }, entry))).toEqual(['x-other-key']);
  expect(unseenHeaders(entry)).toEqual([]);
});

test('a log hides what is secret and nothing else', () => {
  expect(secretsOf(entry)).toEqual(['short', 'abcdefgh12345678', 'pass']);
  expect(secretsOf({ headers: 'nonsense', proxy: 5 })).toEqual([]);
});
