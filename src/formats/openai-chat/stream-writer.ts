/** Writes neutral stream events as the chat format's server-sent events. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Finish, PartOpening, StreamEvent } from '../../conversation/text-reply.ts';
import { type Usage, unknownUsage } from '../../conversation/usage.ts';
import { errorEvent } from './errors.ts';
import { finishWord, formatName, writeUsage } from './wire.ts';
import { type ReplyDialect, writeCitation } from './write-reply.ts';

export interface StreamWriter {
  /** The text that stands for the event; empty where the format says nothing at that moment. */
  write(event: StreamEvent): string;
}

export interface StreamDialect extends ReplyDialect {
  /** The caller sent `stream_options.include_usage`. */
  readonly includeUsage: boolean;
}

interface OpenCandidate {
  roleSent: boolean;
  toolCalls: number;
  textLength: number;
  readonly parts: Map<number, { readonly type: PartOpening['type']; readonly toolIndex: number }>;
}

type Delta = Readonly<Record<string, unknown>>;

export function streamWriter(dialect: StreamDialect): StreamWriter {
  const legacy = dialect.legacyFunctions === true;
  const candidates = new Map<number, OpenCandidate>();
  const tail = dialect.includeUsage ? ',"usage":null}\n\n' : '}\n\n';
  let head = 'data: {';
  let usage: Usage = unknownUsage;

  const candidateAt = (index: number): OpenCandidate => {
    const open = candidates.get(index) ?? { roleSent: false, toolCalls: 0, textLength: 0, parts: new Map() };
    candidates.set(index, open);
    return open;
  };

  /** The role travels in the first delta of each choice, whatever that delta carries. */
  const chunk = (index: number, delta: Delta, finish: string | null = null): string => {
    const open = candidateAt(index);
    const said = open.roleSent ? delta : { role: 'assistant', content: null, ...delta };
    open.roleSent = true;
    const choice = `{"index":${index},"delta":${JSON.stringify(said)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}`;
    return `${head},"choices":[${choice}]${tail}`;
  };

  const openPart = (index: number, part: number, opening: PartOpening): string => {
    const open = candidateAt(index);
    open.parts.set(part, { type: opening.type, toolIndex: open.toolCalls });
    if (opening.type === 'tool-call') {
      const called = { name: opening.name, arguments: '' };
      if (legacy) return chunk(index, { function_call: called });
      const call = { index: open.toolCalls++, id: opening.id, type: 'function', function: called };
      return chunk(index, { tool_calls: [call] });
    }
    if (open.roleSent) return '';
    return chunk(index, opening.type === 'text' ? { content: '', refusal: null } : {});
  };

  const addText = (index: number, part: number, text: string): string => {
    const open = candidateAt(index);
    if (open.parts.get(part)?.type === 'refusal') return chunk(index, { refusal: text });
    open.textLength += text.length;
    return chunk(index, { content: text });
  };

  const addToolInput = (index: number, part: number, text: string): string => {
    if (legacy) return chunk(index, { function_call: { arguments: text } });
    const toolIndex = candidateAt(index).parts.get(part)?.toolIndex ?? 0;
    return chunk(index, { tool_calls: [{ index: toolIndex, function: { arguments: text } }] });
  };

  const closeCandidate = (index: number, finish: Finish): string => {
    const silent = !candidateAt(index).roleSent;
    return chunk(index, silent ? { content: '' } : {}, finishWord(finish.reason, legacy));
  };

  const end = (): string => {
    const said = dialect.includeUsage ? writeUsage(usage) : undefined;
    const usageChunk = said === undefined ? '' : `${head},"choices":[],"usage":${JSON.stringify(said)}}\n\n`;
    return `${usageChunk}data: [DONE]\n\n`;
  };

  return {
    write(event) {
      switch (event.type) {
        case 'reply-start':
          head = chunkHead(event);
          return '';
        case 'part-start':
          return openPart(event.candidate, event.part, event.opening);
        case 'text-delta':
          return addText(event.candidate, event.part, event.text);
        case 'thinking-delta':
          return chunk(event.candidate, { reasoning_content: event.text });
        case 'tool-input-delta':
          return addToolInput(event.candidate, event.part, event.text);
        case 'citation': {
          const { url } = event.citation;
          if (url === undefined) return '';
          const annotation = writeCitation(event.citation, url, 0, candidateAt(event.candidate).textLength);
          return chunk(event.candidate, { annotations: [annotation] });
        }
        case 'candidate-end':
          return closeCandidate(event.candidate, event.finish);
        case 'usage':
          usage = event.usage;
          return '';
        case 'reply-end':
          return end();
        case 'failure':
          return errorEvent(new GatewayError(event.code, event.message));
        case 'native':
          return event.format === formatName ? `data: ${JSON.stringify(event.value)}\n\n` : '';
        // The format streams no media here, has no place for a signature and does not mark the end of a part.
        case 'media-delta':
        case 'seal':
        case 'part-end':
          return '';
      }
    },
  };
}

/** What every chunk of one reply begins with, printed once: thousands of chunks share it. */
function chunkHead(start: { readonly id: string; readonly model: string; readonly createdAtMs: number }): string {
  const shared = {
    id: start.id,
    object: 'chat.completion.chunk',
    created: Math.floor(start.createdAtMs / 1000),
    model: start.model,
    system_fingerprint: null,
  };
  return `data: ${JSON.stringify(shared).slice(0, -1)}`;
}
