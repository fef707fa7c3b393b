/** Holds every reply and every event that a chat-format or responses-format client gets against the published schemas. */

import { dataOf } from '../harness/chat.ts';
import { expectValid, type SchemaName } from '../harness/schema.ts';

const schemas: Readonly<Record<string, { readonly reply: SchemaName; readonly event: SchemaName }>> = {
  '/v1/chat/completions': { reply: 'CreateChatCompletionResponse', event: 'CreateChatCompletionStreamResponse' },
  '/v1/completions': { reply: 'CreateCompletionResponse', event: 'CreateCompletionResponse' },
  '/v1/responses': { reply: 'Response', event: 'ResponseStreamEvent' },
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
    // Judged by `validated`; until then nobody listens.
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
  const names = schemas[path];
  if (names === undefined) return 0;
  const text = await reply.text();
  if (reply.status >= 400) {
    expectValid('ErrorResponse', JSON.parse(text));
    return 1;
  }
  if (reply.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    expectValid(names.reply, JSON.parse(text));
    return 1;
  }
  const events = dataOf(text).filter((data) => data !== '[DONE]');
  for (const data of events) {
    expectValid(data.startsWith('{"error"') ? 'ErrorResponse' : names.event, JSON.parse(data));
  }
  return events.length;
}
