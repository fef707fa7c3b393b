/** The instruction to summarize a conversation that is to be compacted, for providers without an endpoint for that. */

import type { Message } from '../../../conversation/parts.ts';
import type { TextRequest } from '../../../conversation/text-request.ts';

const instruction = [
  'Write a summary of this conversation that replaces it: the model that continues it will see your summary and none of the turns above.',
  'Say what is asked for and why, what was decided, what was done and with which result, which facts, names, paths and values',
  'matter, and what is still to be done. Quote exactly what must stay exact. Call no tools and answer nothing else.',
].join(' ');

/** The tools stay declared, because some models refuse earlier calls of tools that are not. */
export function withSummaryInstruction({ hostedTools: _, ...request }: TextRequest): TextRequest {
  const asked: Message = { role: 'user', parts: [{ type: 'text', text: instruction }] };
  return {
    ...request,
    messages: [...request.messages, asked],
    toolChoice: { kind: 'none' },
    output: { kind: 'text' },
  };
}
