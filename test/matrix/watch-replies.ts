/** Holds every reply and every event that a client gets against the published schemas, or against what its library demands. */

import { dataOf } from '../harness/chat.ts';
import { expectValid, type SchemaName } from '../harness/schema.ts';
import { expectTaken } from '../harness/strict-clients.ts';

interface Judge {
  error(body: unknown): void;
  reply(body: unknown): void;
  event(body: unknown): void;
}

const published = (reply: SchemaName, event: SchemaName): Judge => ({
  error: (body) => expectValid('ErrorResponse', body),
  reply: (body) => expectValid(reply, body),
  event: (body) => expectValid(isError(body) ? 'ErrorResponse' : event, body),
});

function isError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body)[0] === 'error';
}

const judges: Readonly<Record<string, Judge>> = {
  '/v1/chat/completions': published('CreateChatCompletionResponse', 'CreateChatCompletionStreamResponse'),
  '/v1/completions': published('CreateCompletionResponse', 'CreateCompletionResponse'),
  '/v1/responses': published('Response', 'ResponseStreamEvent'),
  '/v2/chat': {
    error: (body) => expectTaken('cohereError', body),
    reply: (body) => expectTaken('cohereReply', body),
    event: (body) => expectTaken('cohereEvent', body),
  },
};

export interface Watch {
  readonly fetch: typeof globalThis.fetch;
  /** Throws what was wrong with any reply so far; the number of replies and events that were right otherwise. */
  readonly validated: () => Promise<number>;
}

export function watchReplies(): Watch {
  const seen: Promise<number>[] = [];
  const watched = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const reply = await fetch(address, init);
    const { pathname } = new URL(address instanceof Request ? address.url : address);
    const validating = validate(pathname, reply.clone());
    // Judged by `validated`; until then no handler is attached.
    validating.catch(() => {});
    seen.push(validating);
    return reply;
  };
  return {
    fetch: watched as typeof globalThis.fetch,
    async validated() {
      const counts = await Promise.all(seen);
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

async function validate(path: string, reply: Response): Promise<number> {
  const judge = judges[path];
  if (judge === undefined) return 0;
  const text = await reply.text();
  if (reply.status >= 400) {
    judge.error(JSON.parse(text));
    return 1;
  }
  if (reply.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    judge.reply(JSON.parse(text));
    return 1;
  }
  const events = dataOf(text).filter((data) => data !== '[DONE]');
  for (const data of events) judge.event(JSON.parse(data));
  return events.length;
}
