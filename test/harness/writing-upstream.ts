/** A provider that streams a given text word by word in the chat format, as quickly as it is read or at a pace, for pages that draw replies. */

export interface WritingUpstream {
  /** With the version path, as a `base_url` in `weir.yaml`. */
  readonly base: string;
  /** What it writes from now on. */
  write(text: string, pace?: Pace): void;
  stop(): Promise<void>;
}

interface Pace {
  readonly wordsPerTick: number;
  readonly tickMs: number;
  /** What the last words wait for: that the page shows the first ones, for example. */
  readonly untilLast?: Promise<void>;
}

const atOnce: Pace = { wordsPerTick: Number.POSITIVE_INFINITY, tickMs: 0 };

export function startWritingUpstream(): WritingUpstream {
  let text = 'Written.';
  let pace = atOnce;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith('/models')) return Response.json({ data: [{ id: 'writer' }] });
      await request.text();
      return new Response(streamOf(events(text, pace)), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return {
    base: `http://127.0.0.1:${server.port}/v1`,
    write(next, nextPace = atOnce) {
      text = next;
      pace = nextPace;
    },
    async stop() {
      await server.stop(true);
    },
  };
}

function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

async function* events(text: string, { wordsPerTick, tickMs, untilLast }: Pace): AsyncGenerator<string> {
  const words = text.match(/\s*\S+\s*?/g) ?? [];
  const chunk = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'written', object: 'chat.completion.chunk', created: 1, model: 'writer', choices, ...more })}\n\n`;
  for (let at = 0; at < words.length; at += Math.min(wordsPerTick, 200)) {
    const tick = words.slice(at, at + Math.min(wordsPerTick, 200));
    if (at + tick.length >= words.length) await untilLast;
    yield tick.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])).join('');
    if (tickMs > 0) await Bun.sleep(tickMs);
  }
  const usage = { prompt_tokens: 10, completion_tokens: words.length, total_tokens: 10 + words.length };
  yield chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]) + chunk([], { usage });
  yield 'data: [DONE]\n\n';
}

/** So many words of everything that Markdown has, in numbered parts. */
export function richText(words: number): string {
  const piece = (at: number) =>
    [
      `## Part ${at}`,
      `Water *runs* over the **low** wall, see [the keeper](https://example.com/${at}) and \`count(${at})\`.`,
      `1. first of ${at}\n2. second\n   - inner one\n   - inner two`,
      `| name | value |\n|---|---:|\n| a${at} | ${at} |\n| b${at} | ${at * 2} |`,
      `\`\`\`ts\nexport function part${at}(): number {\n  return ${at};\n}\n\`\`\``,
    ].join('\n\n');
  const parts: string[] = [];
  for (let count = 0, at = 1; count < words; at++) {
    parts.push(piece(at));
    count += piece(at).split(/\s+/).length;
  }
  return parts.join('\n\n');
}
