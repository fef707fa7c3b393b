import { describe, expect, test } from 'bun:test';
import { readRange, resultReply } from './file-reply.ts';

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=50-1000', { start: 50, end: 99 }],
  ['bytes=100-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=9-3', undefined],
  ['bytes=0-1,4-5', undefined],
  ['items=0-1', undefined],
  ['bytes=-', undefined],
] as const)('%s of 100 bytes', (text, expected) => {
  expect(readRange(text, 100)).toEqual(expected);
});

describe('what is said of a file', () => {
  const headersOf = async (mediaType: string): Promise<Headers> => {
    const open = async () => ({ body: new Blob(['12']) });
    const reply = await resultReply({ mediaType, bytes: 100, open }, new Headers({ range: 'bytes=1-2' }));
    return reply?.headers ?? new Headers();
  };

  test('it is private, shown in its place, and nothing in it runs', async () => {
    const headers = await headersOf('image/png');
    expect(headers.get('cache-control')).toStartWith('private');
    expect(headers.get('content-disposition')).toBe('inline');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  test('a video may be played where it is opened', async () => {
    const policy = (await headersOf('video/mp4')).get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("media-src 'self'");
    expect(policy).not.toContain('sandbox');
  });
});

describe('a result that is kept elsewhere', () => {
  const served = (body: string | undefined) => ({
    mediaType: 'video/mp4',
    bytes: 10,
    filename: 'a "b".mp4',
    open: async (range: { start: number; end: number } | undefined) =>
      body === undefined ? undefined : { body: new Blob([body]).slice(range?.start, (range?.end ?? 9) + 1) },
  });

  test('is opened at the range that is asked for', async () => {
    const reply = await resultReply(served('0123456789'), new Headers({ range: 'bytes=-3' }));
    expect([reply?.status, reply?.headers.get('content-range')]).toEqual([206, 'bytes 7-9/10']);
    expect(await reply?.text()).toBe('789');
    expect(reply?.headers.get('content-disposition')).toBe('inline; filename="a__b_.mp4"');
  });

  test('is undefined if it is gone, and is not opened for a range outside its bytes', async () => {
    expect(await resultReply(served(undefined), new Headers())).toBeUndefined();
    const outside = await resultReply(served(undefined), new Headers({ range: 'bytes=10-' }));
    expect(outside?.status).toBe(416);
  });
});
