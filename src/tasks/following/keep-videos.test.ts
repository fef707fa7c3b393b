/** Finished videos are brought host: from the right place, with a key only where it belongs, all or none, and only if they are videos. */

import { describe, expect, test } from 'bun:test';
import type { MadeVideo } from '../../operations/video.ts';
import type { Provider } from '../../providers/assemble.ts';
import type { UpstreamReply, UpstreamRequest } from '../../upstream/transport.ts';
import type { VideoHost } from '../provider/ask-provider.ts';
import { extensionOf, openVideo, UnfetchableError, videoTypeOf } from '../provider/result-source.ts';
import { type KeepParts, keepVideos } from './keep-videos.ts';

const mp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom and the rest of it', 'latin1');
const key = { id: 'k', value: 'secret' };
const task = { id: 'video_1', tokenId: 'token-1' };

interface World {
  readonly parts: KeepParts;
  readonly host: VideoHost;
  readonly kept: Map<string, { readonly mediaType: string; readonly bytes: Buffer }>;
  /** Who was asked, by which way, with which credential. */
  readonly asked: string[];
}

function reply(
  status: number,
  pieces: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): UpstreamReply {
  const left = [...pieces];
  return {
    status,
    header: (name) => headers[name],
    whole: () => Promise.reject(new Error('read as a whole')),
    read: async () => left.shift(),
    cancel: () => undefined,
  };
}

function world(answer: (url: string) => UpstreamReply, results: 'keep' | 'proxy' = 'keep'): World {
  const kept: World['kept'] = new Map();
  const asked: string[] = [];
  const transport = async ({ url, headers }: UpstreamRequest): Promise<UpstreamReply> => {
    asked.push(`provider ${url} ${headers['authorization'] ?? '-'}`);
    return answer(url);
  };
  const provider = { name: 'up', results, transport } as unknown as Provider;
  const parts: KeepParts = {
    authorizer: { headersFor: () => ({ authorization: `Bearer ${key.value}` }) },
    egress: {
      open: async ({ url, headers }) => {
        asked.push(`guard ${url} ${headers['authorization'] ?? '-'}`);
        return answer(url);
      },
    },
    resultBytesMax: 1_000,
    keeper: {
      async write(name, mediaType, pieces, bytesMax) {
        const all: Uint8Array[] = [];
        for await (const piece of pieces) all.push(piece);
        const bytes = Buffer.concat(all);
        if (bytes.length > bytesMax) throw new Error('too large');
        kept.set(name, { mediaType, bytes });
        return { bytes: bytes.length };
      },
      async remove(name) {
        kept.delete(name);
      },
    },
  };
  const places = { create: 'https://up.example/v1/videos', base: 'https://up.example/v1' };
  return { parts, host: { provider, places } as unknown as VideoHost, kept, asked };
}

const at = (url: string, needsKey = false): MadeVideo => ({ kind: 'url', url, needsKey });
const signal = new AbortController().signal;
const keep = ({ parts, host }: World, ...videos: readonly MadeVideo[]) =>
  keepVideos(parts, task, host, key, videos, signal);

describe('a made video', () => {
  test('from the provider’s own host comes with the key where one is wanted', async () => {
    const here = world(() => reply(200, [mp4]));
    const results = await keep(here, at('https://up.example/v1/videos/1/content', true));
    expect(results).toEqual([{ kind: 'kept', name: 'video_1-0.mp4', mediaType: 'video/mp4', bytes: mp4.length }]);
    expect(here.asked).toEqual(['provider https://up.example/v1/videos/1/content Bearer secret']);
    expect(here.kept.get('video_1-0.mp4')?.bytes.equals(mp4)).toBe(true);
  });

  test('from elsewhere comes through the guard and without the key', async () => {
    const here = world(() => reply(200, [mp4]));
    await keep(here, at('https://files.example/1.mp4'));
    expect(here.asked).toEqual(['guard https://files.example/1.mp4 -']);
  });

  test('elsewhere that wants the key is not asked for at all', async () => {
    const here = world(() => reply(200, [mp4]));
    await expect(keep(here, at('https://evil.example/1.mp4', true))).rejects.toBeInstanceOf(UnfetchableError);
    expect(here.asked).toEqual([]);
  });

  test('behind a redirect of the provider is fetched through the guard, without the key', async () => {
    const here = world((url) =>
      url.includes('up.example') ? reply(302, [], { location: 'https://files.example/1.mp4' }) : reply(200, [mp4]),
    );
    await keep(here, at('https://up.example/v1/videos/1/content', true));
    expect(here.asked[1]).toBe('guard https://files.example/1.mp4 -');
  });

  test('in small pieces is known all the same', async () => {
    const pieces = [...mp4].map((byte) => new Uint8Array([byte]));
    const here = world(() => reply(200, pieces));
    await keep(here, at('https://files.example/1'));
    expect(here.kept.get('video_1-0.mp4')?.bytes.equals(mp4)).toBe(true);
  });

  test('inside the reply is kept like any other', async () => {
    const here = world(() => reply(500, []));
    const video = { kind: 'base64', data: mp4.toString('base64'), mediaType: 'video/mp4' } as const;
    expect(await keep(here, video, video)).toMatchObject([{ name: 'video_1-0.mp4' }, { name: 'video_1-1.mp4' }]);
    expect(here.asked).toEqual([]);
  });

  const spoiled: Readonly<Record<string, UpstreamReply>> = {
    'is no video': reply(200, [Buffer.from('<html>an error page</html>')]),
    'is empty': reply(200, []),
    'is refused': reply(403, [mp4]),
    'is a range that was not requested': reply(206, [mp4]),
  };
  for (const [what, answer] of Object.entries(spoiled)) {
    test(`that ${what} is not kept`, async () => {
      const here = world(() => answer);
      const failure = await keep(here, at('https://files.example/1.mp4')).catch((cause: unknown) => cause);
      expect(failure).toBeInstanceOf(UnfetchableError);
      expect(here.kept.size).toBe(0);
    });
  }

  test('stays where it is if the operator prefers that', async () => {
    const here = world(() => reply(200, [mp4]), 'proxy');
    const url = 'https://files.example/1.mp4';
    expect(await keep(here, at(url))).toEqual([{ kind: 'at-provider', url, needsKey: false, mediaType: 'video/mp4' }]);
    expect(here.asked).toEqual([]);
    // What lies nowhere cannot stay there.
    const video = { kind: 'base64', data: mp4.toString('base64'), mediaType: 'video/mp4' } as const;
    expect(await keep(here, video)).toMatchObject([{ kind: 'kept' }]);
  });
});

test('a range that cannot be had is an answer only where one was asked for', async () => {
  const here = world(() => reply(416, []));
  const video = { kind: 'url', url: 'https://files.example/1.mp4', needsKey: false } as const;
  const open = (range?: string) => openVideo(here.parts, here.host, key, video, signal, range);
  expect((await open('bytes=9-')).status).toBe(416);
  await expect(open()).rejects.toBeInstanceOf(UnfetchableError);
});

test('a file is what its first bytes say', () => {
  const typeOf = (text: string) => videoTypeOf(Buffer.from(text, 'latin1'));
  expect(typeOf('\0\0\0\x18ftypmp42')).toBe('video/mp4');
  expect(typeOf('\0\0\0\x18ftypisom')).toBe('video/mp4');
  expect(typeOf('\0\0\0\x14ftypqt  ')).toBe('video/quicktime');
  expect(typeOf('\x1a\x45\xdf\xa3 webm')).toBe('video/webm');
  for (const text of ['', 'ftyp', '<html>', '{"error":1}', '\x89PNG\r\n\x1a\n', '\0\0\0\x18mdat']) {
    expect([text, typeOf(text)]).toEqual([text, undefined]);
  }
  expect(['video/mp4', 'video/quicktime', 'video/webm', 'x'].map(extensionOf)).toEqual(['mp4', 'mov', 'webm', 'bin']);
});
