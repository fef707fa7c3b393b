/** A proxy between an agent and Weir that keeps the model requests: for recordings, where the answer matters little. */

export interface RecordedRequest {
  readonly path: string;
  readonly body: unknown;
}

export interface SentRequest extends RecordedRequest {
  readonly status: number;
}

export interface Recorder {
  /** Since the last call. */
  taken(): readonly SentRequest[];
  stop(): void;
}

export function startRecorder(port: number, weirUrl: string): Recorder {
  let requests: SentRequest[] = [];
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      // Clients that try a socket first fall back to requests then.
      if (request.headers.has('upgrade')) return new Response(null, { status: 426 });
      const url = new URL(request.url);
      const body = request.method === 'POST' ? await request.text() : undefined;
      const headers = new Headers(request.headers);
      headers.delete('accept-encoding');
      const path = url.pathname + url.search;
      const given = { method: request.method, headers, ...(body !== undefined && { body }) };
      const reply = await fetch(weirUrl + path, given);
      if (body !== undefined && isModelRequest(url.pathname)) {
        requests.push({ path, body: JSON.parse(body), status: reply.status });
      }
      return reply;
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
