/** Checks every reply that a client gets with its oracle, and with what its library demands where that is strict. */

import { dataOf } from '../harness/chat.ts';
import { requestOf, unobservedFetch, withObservedBody } from '../harness/observe-replies.ts';
import { expectTaken } from '../harness/strict-clients.ts';
import { oracleFor } from '../oracles/index.ts';
import { type ObservedReply, replyFault } from '../oracles/oracle.ts';

export interface Watch {
  readonly fetch: typeof globalThis.fetch;
  /** Throws what was wrong with any reply so far; the number of replies that were right otherwise. */
  readonly judged: () => number;
}

export function watchReplies(): Watch {
  let judged = 0;
  const faults: string[] = [];
  const watched = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(address instanceof Request ? address.url : address);
    const request = requestOf(url, address, init);
    const reply = await unobservedFetch()(address, init);
    const contentType = reply.headers.get('content-type') ?? '';
    return withObservedBody(reply, (text, complete) => {
      judged += 1;
      const fault = faultOf({ request, status: reply.status, contentType, text, complete });
      if (fault !== undefined) faults.push(fault);
    });
  };
  return {
    fetch: watched as typeof globalThis.fetch,
    judged() {
      if (faults.length > 0) throw new Error(faults.join('\n'));
      return judged;
    },
  };
}

function faultOf(reply: ObservedReply): string | undefined {
  const oracle = oracleFor(reply.request);
  if (oracle === undefined) return `no oracle for ${reply.request.path}`;
  return replyFault(oracle, reply) ?? (reply.request.path === '/v2/chat' ? untaken(reply) : undefined);
}

/** What the library of Cohere would not take, which reads without checking. */
function untaken({ status, contentType, text }: ObservedReply): string | undefined {
  try {
    if (status >= 400) expectTaken('cohereError', JSON.parse(text));
    else if (!contentType.startsWith('text/event-stream')) expectTaken('cohereReply', JSON.parse(text));
    else for (const data of dataOf(text)) if (data !== '[DONE]') expectTaken('cohereEvent', JSON.parse(data));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
