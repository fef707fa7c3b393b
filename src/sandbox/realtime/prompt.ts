/** Turns the items of a conversation into a request for the rule engine. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { Message, Part } from '../../conversation/parts.ts';
import type { TextRequest, ToolChoice, ToolDeclaration } from '../../conversation/text-request.ts';
import type { AudioLengths } from './input-audio.ts';
import type { Content, Item } from './items.ts';
import type { SessionSettings } from './protocol/settings.ts';

export function requestOf(settings: SessionSettings, items: readonly Item[], model: string): TextRequest {
  const { instructions, parallelToolCalls } = settings;
  const instruction: Message[] =
    instructions === '' ? [] : [{ role: 'instruction', parts: [{ type: 'text', text: instructions }] }];
  return {
    model,
    messages: [...instruction, ...items.map(messageOf)],
    stream: true,
    tools: settings.tools.map(toolOf),
    toolChoice: toolChoiceOf(settings.toolChoice),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    output: { kind: 'text' },
    candidates: 1,
    stop: [],
  };
}

/** Describes the audio of the last turn where it has no words. */
export function remarkOn(items: readonly Item[]): string | undefined {
  const last = items.findLast((item) => item.type === 'message' && item.role === 'user');
  if (last?.type !== 'message' || items.at(-1)?.type === 'function_call_output') return undefined;
  const wordless = last.content
    .filter((part) => part.type === 'input_audio')
    .filter((part) => part.words === undefined);
  if (wordless.length === 0) return undefined;
  const total = (count: (lengths: AudioLengths) => number): number =>
    wordless.reduce((sum, { lengths }) => sum + count(lengths), 0);
  return describeAudio({ seconds: total(({ seconds }) => seconds), speechSeconds: total((one) => one.speechSeconds) });
}

export function describeAudio({ seconds, speechSeconds }: AudioLengths): string {
  const length = `${seconds.toFixed(1)} seconds`;
  if (speechSeconds === 0) return `The sandbox finds ${length} of silence.`;
  const speech = `${speechSeconds.toFixed(1)} seconds of speech`;
  return `The sandbox finds ${speech} within ${length}, but does not understand words.`;
}

function messageOf(item: Item): Message {
  switch (item.type) {
    case 'function_call': {
      const { callId: id, name, arguments: given } = item;
      return { role: 'assistant', parts: [{ type: 'tool-call', id, name, arguments: given }] };
    }
    case 'function_call_output': {
      const { callId, output: text } = item;
      return { role: 'tool', parts: [{ type: 'tool-result', callId, parts: [{ type: 'text', text }], failed: false }] };
    }
    case 'message': {
      const role = item.role === 'system' ? 'instruction' : item.role;
      return { role, parts: item.content.flatMap(partsOf) };
    }
  }
}

const dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,/;

function partsOf(content: Content): Part[] {
  switch (content.type) {
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: content.text }];
    case 'input_audio':
      return content.words === undefined ? [] : [{ type: 'text', text: content.words }];
    case 'output_audio':
      return content.transcript === undefined ? [] : [{ type: 'text', text: content.transcript }];
    case 'input_image': {
      const head = dataUrl.exec(content.url.slice(0, 200));
      if (head === null) return [{ type: 'media', media: 'image', source: { kind: 'url', url: content.url } }];
      const source = { kind: 'base64', data: content.url.slice(head[0].length) } as const;
      return [{ type: 'media', media: 'image', mediaType: head[1] ?? '', source }];
    }
  }
}

function toolOf(tool: Tree): ToolDeclaration {
  const { name, description, parameters } = tool;
  return {
    name: String(name),
    ...(typeof description === 'string' && { description }),
    ...(typeof parameters === 'object' && parameters !== null && { parameters: parameters as Tree }),
  };
}

function toolChoiceOf(choice: string | Tree): ToolChoice {
  if (typeof choice !== 'string') return { kind: 'tool', name: String(choice['name']) };
  return { kind: choice === 'none' || choice === 'required' ? choice : 'auto' };
}
