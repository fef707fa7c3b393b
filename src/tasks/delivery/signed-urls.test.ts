/** Addresses that carry their own permission admit what they were made for, and nothing else. */

import { describe, expect, test } from 'bun:test';
import { fixedKeys } from '../../../test/harness/fixed-keys.ts';
import { createSigning } from '../../secrets/signing.ts';
import { SignedAddresses } from './signed-urls.ts';

const key = new Uint8Array(32).fill(7);
const addresses = new SignedAddresses(createSigning(fixedKeys(key)), () => 'https://weir.example');
const expiresAtMs = 1_700_000_000_500;
const queryOf = (url: string): URLSearchParams => new URL(url).searchParams;

describe('the URL of a video', () => {
  test('admits until its last second', async () => {
    const url = addresses.contentUrl('video_1', 0, expiresAtMs);
    expect(url).toStartWith('https://weir.example/v1/video/generations/video_1/content?expires=1700000001&signature=');
    expect(await addresses.admitsContent('video_1', queryOf(url), 1_700_000_000_999)).toBe(true);
    expect(await addresses.admitsContent('video_1', queryOf(url), 1_700_000_001_000)).toBe(false);
    expect(addresses.contentUrl('video_1', 0, expiresAtMs)).toBe(url);
  });

  test('of one of several names which', async () => {
    const url = addresses.contentUrl('video_1', 2, expiresAtMs);
    expect(queryOf(url).get('index')).toBe('2');
    expect(await addresses.admitsContent('video_1', queryOf(url), 0)).toBe(true);
    const other = queryOf(url);
    other.delete('index');
    expect(await addresses.admitsContent('video_1', other, 0)).toBe(false);
  });

  test('admits no other task, time, key or signature', async () => {
    const query = queryOf(addresses.contentUrl('video_1', 0, expiresAtMs));
    const changed = (name: string, value: string): URLSearchParams => {
      const copy = new URLSearchParams(query);
      copy.set(name, value);
      return copy;
    };
    expect(await addresses.admitsContent('video_2', query, 0)).toBe(false);
    const wrong = ['', 'x', '1', '1700000002', '1e12', 'Infinity', '1700000001.5'];
    for (const value of wrong)
      expect(await addresses.admitsContent('video_1', changed('expires', value), 0)).toBe(false);
    for (const value of ['', 'ä'.repeat(32), '0'.repeat(64)]) {
      expect(await addresses.admitsContent('video_1', changed('signature', value), 0)).toBe(false);
    }
    expect(await addresses.admitsContent('video_1', new URLSearchParams(), 0)).toBe(false);
    const another = new SignedAddresses(
      createSigning(fixedKeys(new Uint8Array(32).fill(8))),
      () => 'https://weir.example',
    );
    expect(await another.admitsContent('video_1', query, 0)).toBe(false);
  });
});

describe('the webhook URL', () => {
  test('is of one task, and does not accept the signature of a video', async () => {
    const signature = addresses.hookUrl('video_1').split('/').at(-1) ?? '';
    expect(await addresses.admitsHook('video_1', signature)).toBe(true);
    expect(await addresses.admitsHook('video_2', signature)).toBe(false);
    const other = queryOf(addresses.contentUrl('video_1', 0, expiresAtMs)).get('signature') ?? '';
    expect(await addresses.admitsHook('video_1', other)).toBe(false);
  });
});
