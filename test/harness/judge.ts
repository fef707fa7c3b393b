/** A scripted moderation provider: whatever says "forbidden" is violence; images are judged by their URL. */

export interface Behavior {
  readonly status?: number;
  /** Answered instead of a verdict. */
  readonly body?: string;
}

export interface Judge {
  /** With the version path, as a `base_url` in `weir.yaml`. */
  readonly base: string;
  /** The input of every request so far, in order. */
  readonly inputs: readonly (readonly unknown[])[];
  behave(behavior: Behavior): void;
  /** Forgets the questions and judges again. */
  reset(): void;
  stop(): void;
}

/** The reported usage of each request. */
const tokensReported = 10;

export function startJudge(): Judge {
  let behavior: Behavior = {};
  const inputs: unknown[][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (!request.url.endsWith('/moderations')) return new Response('{}', { status: 404 });
      const { input } = (await request.json()) as { input: string | unknown[] };
      const asked = typeof input === 'string' ? [input] : input;
      const { status = 200, body } = behavior;
      if (status !== 200) return Response.json({ error: { message: 'scripted' } }, { status });
      inputs.push(asked);
      if (body !== undefined) return new Response(body, { headers: { 'content-type': 'application/json' } });
      const results = typeof asked[0] === 'string' ? asked.map(resultOf) : [resultOf(asked)];
      return Response.json({ id: 'modr-1', model: 'judge', results, usage: { prompt_tokens: tokensReported } });
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    inputs,
    behave(next) {
      behavior = next;
    },
    reset() {
      behavior = {};
      inputs.length = 0;
    },
    stop() {
      server.stop(true);
    },
  };
}

function resultOf(asked: unknown) {
  const flagged = JSON.stringify(asked).includes('forbidden');
  return {
    flagged,
    categories: { violence: flagged },
    category_scores: { violence: flagged ? 0.9 : 0.1 },
    category_applied_input_types: { violence: typeof asked === 'string' ? ['text'] : ['image'] },
  };
}
