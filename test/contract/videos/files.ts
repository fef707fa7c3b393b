/** Where a provider's finished videos are: another host than the provider's, which never gets a key. */

/** Begins as a video does, and no two places of it are alike. */
export const film = filmOf(200_000);

export function filmOf(bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) body.writeUInt32BE(at, at);
  Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1').copy(body);
  return body;
}

export interface Files {
  readonly url: string;
  /** Each question, in order: the path and what it showed of itself. */
  readonly seen: { readonly path: string; readonly headers: Headers }[];
  /** Instead of the film; nothing lets it be given. */
  behave: ((path: string, times: number) => Response | undefined) | undefined;
  stop(): void;
}

export function startFiles(): Files {
  const seen: Files['seen'][number][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      const path = pathname + search;
      seen.push({ path, headers: request.headers });
      const times = seen.filter((one) => one.path === path).length;
      return files.behave?.(path, times) ?? filmReply(film, request.headers.get('range'));
    },
  });
  const files: Files = {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    behave: undefined,
    stop: () => void server.stop(true),
  };
  return files;
}

export function filmReply(bytes: Buffer, range: string | null): Response {
  const type = { 'content-type': 'video/mp4' };
  const [, first, last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined) return new Response(new Uint8Array(bytes), { headers: type });
  const start = Number(first);
  const total = bytes.length;
  if (start >= total) return new Response(null, { status: 416, headers: { 'content-range': `bytes */${total}` } });
  const end = last === '' ? total - 1 : Math.min(Number(last), total - 1);
  return new Response(new Uint8Array(bytes.subarray(start, end + 1)), {
    status: 206,
    headers: { ...type, 'content-range': `bytes ${start}-${end}/${total}` },
  });
}
