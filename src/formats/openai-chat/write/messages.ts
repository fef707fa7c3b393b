/** Writes neutral messages as the chat format's: one field for each kind of part, one message for each tool result. */

import { nativeName } from '../../../conversation/native-name.ts';
import type { Message, Part, ThinkingPart, ToolCallPart, ToolResultPart } from '../../../conversation/parts.ts';
import { withErrorPrefix } from '../../../conversation/tools/failed-results.ts';
import { writeReasoning } from '../reasoning.ts';
import { formatName, keepsOrder, writeCallSignature } from '../wire.ts';
import { type PartContext, writeMark, writePart } from './parts.ts';

export function writeMessages(messages: readonly Message[], context: PartContext): object[] {
  const written: object[] = [];
  for (const [index, message] of messages.entries()) writeMessage(message, `messages[${index}]`, context, written);
  return written;
}

function writeMessage(message: Message, path: string, context: PartContext, written: object[]): void {
  const name = message.name === undefined ? {} : { name: message.name };
  if (message.role === 'assistant') {
    written.push({ role: 'assistant', ...writeAssistant(message.parts, path, context), ...name });
    return;
  }
  const rest: Part[] = [];
  for (const part of message.parts) {
    if (part.type === 'tool-result') written.push(writeResult(part, path, context));
    else rest.push(part);
  }
  if (message.role === 'instruction') {
    const developer = message.authority === 'developer' && context.profile.developerRole === 'taken';
    const texts = onlyTexts(rest, `${path} instruction`, context);
    written.push({ role: developer ? 'developer' : 'system', content: writeContent(texts, path, context), ...name });
  } else if (message.role === 'user' || rest.length > 0) {
    // A turn with nothing but results is already written as their messages.
    if (rest.length === 0 && message.parts.length > 0) return;
    written.push({ role: 'user', content: writeContent(rest, path, context), ...name });
  }
}

/** Between texts that were parts of their own. */
const blankLine = '\n\n';

/**
 * Texts are one string, which every service of the format takes, unless a list is known to be taken or must carry marks;
 * anything else is a list of parts. Pieces of what the model said follow each other without a gap.
 */
function writeContent(
  parts: readonly Part[],
  path: string,
  context: PartContext,
  between: string = blankLine,
): string | object[] {
  const [first] = parts;
  if (first === undefined) return '';
  // One text without a mark, which is nearly every turn.
  if (parts.length === 1 && first.type === 'text' && first.cacheMark === undefined) return first.text;
  const isOne = parts.length === 1 || context.profile.textLists !== 'taken';
  const content: object[] = [];
  let text: string | undefined = isOne ? '' : undefined;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    const one = part === undefined ? undefined : writePart(part, path, context);
    if (one === undefined) continue;
    text = text === undefined ? undefined : joined(text, one, content.length === 0 ? '' : between);
    content.push(one);
  }
  return text ?? content;
}

/** Undefined where the part is more than a text. */
function joined(text: string, part: object, between: string): string | undefined {
  const isText = 'text' in part && typeof part.text === 'string' && Object.keys(part).length === 2;
  return isText ? text + between + part.text : undefined;
}

function kindOf(part: Part): string {
  if (part.type === 'media') return part.media;
  return part.type === 'native' ? (nativeName(part.value) ?? `${part.format} part`) : part.type;
}

function onlyTexts(parts: readonly Part[], path: string, { losses }: PartContext): Part[] {
  return parts.filter((part) => {
    const isText = part.type === 'text' || (part.type === 'media' && part.source.kind === 'text');
    const takes = isText || (part.type === 'native' && part.format === formatName);
    if (!takes) losses.add(`${path} ${kindOf(part)}`, 'only text is allowed here');
    return takes;
  });
}

function writeResult(result: ToolResultPart, path: string, context: PartContext): object {
  const parts = result.failed ? withErrorPrefix(result.parts) : result.parts;
  const texts = onlyTexts(parts, `${path} tool result`, context);
  const last = texts.at(-1);
  if (result.cacheMark !== undefined && last?.type !== 'text') {
    context.losses.addOnce('cache marks', 'belong to texts, and the result of a tool has none');
  }
  const marked =
    result.cacheMark !== undefined && last?.type === 'text'
      ? [...texts.slice(0, -1), { ...last, cacheMark: result.cacheMark }]
      : texts;
  return { role: 'tool', tool_call_id: result.callId, content: writeContent(marked, path, context) };
}

function writeAssistant(parts: readonly Part[], path: string, context: PartContext): object {
  const said: Part[] = [];
  const thoughts: ThinkingPart[] = [];
  const calls: object[] = [];
  for (const part of parts) {
    if (part.type === 'thinking') thoughts.push(part);
    else if (part.type === 'tool-call') calls.push(writeCall(part, context));
    else if (part.type === 'media' || part.type === 'tool-result') {
      const what = part.type === 'media' ? part.media : part.type;
      context.losses.add(`${path} ${what}`, "has no place in an assistant's turn");
    } else said.push(part);
    if (part.type === 'text' && part.citations !== undefined && part.citations.length > 0) {
      context.losses.addOnce('citations of earlier turns', 'the format does not accept them back');
    }
  }
  // Thinking that is not sent back has no order to lose.
  const ordered =
    context.quirks.echoesThinkingAs === undefined ? parts.filter(({ type }) => type !== 'thinking') : parts;
  if (!keepsOrder(ordered)) context.losses.add(`${path} order of parts`, 'the format writes calls after the text');
  const content = said.length === 0 && calls.length > 0 ? null : writeContent(said, path, context, '');
  return {
    content,
    ...(thoughts.length > 0 && writeReasoning(thoughts, context.quirks.echoesThinkingAs, context.losses)),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function writeCall(call: ToolCallPart, context: PartContext): object {
  if (call.freeform === true) {
    return { id: call.id, type: 'custom', custom: { name: call.name, input: call.arguments } };
  }
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
    ...(call.seal === undefined ? {} : { extra_content: writeCallSignature(call.seal.value) }),
    ...writeMark(call.cacheMark, context),
  };
}
