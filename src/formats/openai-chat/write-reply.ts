/** Writes a whole neutral reply as the chat format's completion object. */

import type { Citation, Part, ToolCallPart } from '../../conversation/parts.ts';
import type { Candidate, TextReply } from '../../conversation/text-reply.ts';
import { finishWord, writeUsage } from './wire.ts';

export interface ReplyDialect {
  /** The caller declared `functions`, not `tools`. */
  readonly legacyFunctions?: boolean;
}

export function writeReply(reply: TextReply, dialect: ReplyDialect = {}): object {
  const legacy = dialect.legacyFunctions === true;
  const usage = writeUsage(reply.usage);
  return {
    id: reply.id,
    object: 'chat.completion',
    created: Math.floor(reply.createdAtMs / 1000),
    model: reply.model,
    choices: reply.candidates.map((candidate, index) => ({
      index,
      message: writeMessage(candidate, legacy),
      logprobs: null,
      finish_reason: finishWord(candidate.finish.reason, legacy),
    })),
    ...(usage === undefined ? {} : { usage }),
    system_fingerprint: null,
  };
}

function writeMessage(candidate: Candidate, legacy: boolean): object {
  const { parts } = candidate;
  const text = joined(parts, 'text');
  const thinking = joined(parts, 'thinking');
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool-call');
  const refusal = joined(parts, 'refusal') ?? null;
  const [first] = calls;
  return {
    role: 'assistant',
    content: text ?? (refusal === null && calls.length === 0 ? '' : null),
    refusal,
    ...(thinking === undefined ? {} : { reasoning_content: thinking }),
    ...(first === undefined
      ? {}
      : legacy
        ? { function_call: { name: first.name, arguments: first.arguments } }
        : { tool_calls: calls.map(writeCall) }),
    annotations: writeCitations(parts),
  };
}

/** Undefined where there is no such part: an empty text and no text are different answers. */
function joined(parts: readonly Part[], type: 'text' | 'thinking' | 'refusal'): string | undefined {
  let result: string | undefined;
  for (const part of parts) if (part.type === type) result = (result ?? '') + part.text;
  return result;
}

function writeCall(call: ToolCallPart): object {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

/** Offsets count from the start of the joined text, since the format knows only one. */
function writeCitations(parts: readonly Part[]): object[] {
  const annotations: object[] = [];
  let offset = 0;
  for (const part of parts) {
    if (part.type !== 'text') continue;
    for (const citation of part.citations ?? []) {
      if (citation.url !== undefined) annotations.push(writeCitation(citation, citation.url, offset, part.text.length));
    }
    offset += part.text.length;
  }
  return annotations;
}

export function writeCitation(citation: Citation, url: string, offset: number, length: number): object {
  return {
    type: 'url_citation',
    url_citation: {
      url,
      title: citation.title ?? url,
      start_index: offset + (citation.start ?? 0),
      end_index: offset + (citation.end ?? length),
    },
  };
}
