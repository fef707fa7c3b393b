/** A proxy between an agent and Weir that keeps the model requests: for recordings, where the answer matters little. */

export interface RecordedRequest {
  readonly path: string;
  readonly body: unknown;
}

export interface Recorder {
  /** Since the last call. */
  taken(): readonly RecordedRequest[];
  stop(): void;
}

export function startRecorder(port: number, weirUrl: string): Recorder {
  let requests: RecordedRequest[] = [];
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      // Clients that try a socket first fall back to requests then.
      if (request.headers.has('upgrade')) return new Response(null, { status: 426 });
      const url = new URL(request.url);
      const body = request.method === 'POST' ? await request.text() : undefined;
      if (body !== undefined && isModelRequest(url.pathname)) {
        requests.push({ path: url.pathname + url.search, body: JSON.parse(body) });
      }
      const headers = new Headers(request.headers);
      headers.delete('accept-encoding');
      return fetch(weirUrl + url.pathname + url.search, {
        method: request.method,
        headers,
        ...(body !== undefined && { body }),
      });
    },
  });
  return {
    taken() {
      const taken = requests;
      requests = [];
      return taken;
    },
    stop: () => void server.stop(true),
  };
}

function isModelRequest(path: string): boolean {
  return /\/(?:chat\/completions|responses|messages)$|:(?:stream)?[Gg]enerateContent$/.test(path);
}
