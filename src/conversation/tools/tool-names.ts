/** Tool names in the target's alphabet, and the reverse: the client gets calls under the name it declared. */

import type { Message, Part } from '../parts.ts';
import type { ConversationRules } from '../repair/rules.ts';
import type { Candidate, StreamEvent, TextReply } from '../text-reply.ts';
import type { TextRequest, ToolChoice } from '../text-request.ts';

type NameRule = NonNullable<ConversationRules['toolName']>;

interface FittingNames {
  readonly value: TextRequest;
  /** The client's name by the one that the target knows; empty where every name fits. */
  readonly originals: ReadonlyMap<string, string>;
}

const noOriginals: ReadonlyMap<string, string> = new Map();

export function withFittingNames(request: TextRequest, rule: NameRule | undefined): FittingNames {
  if (rule === undefined) return { value: request, originals: noOriginals };
  const names = namesIn(request);
  if (names.values().every((name) => fits(name, rule))) return { value: request, originals: noOriginals };
  const written = new Map<string, string>();
  const taken = new Set(names.values().filter((name) => fits(name, rule)));
  for (const name of names) {
    if (!taken.has(name)) written.set(name, fittingName(name, rule, taken));
  }
  return { value: renamed(request, written), originals: new Map(Array.from(written, ([from, to]) => [to, from])) };
}

function fits(name: string, { pattern, charactersMax }: NameRule): boolean {
  return name.length <= charactersMax && pattern.test(name);
}

function fittingName(name: string, rule: NameRule, taken: Set<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
  for (let attempt = 1; ; attempt++) {
    const suffix = attempt === 1 ? '' : `_${attempt}`;
    const room = rule.charactersMax - suffix.length;
    for (const begun of [plain, `_${plain}`]) {
      const made = begun.slice(0, room) + suffix;
      if (!fits(made, rule) || taken.has(made)) continue;
      taken.add(made);
      return made;
    }
  }
}

function namesIn({ tools, toolChoice, messages }: TextRequest): Set<string> {
  const names = new Set<string>();
  for (const { name } of tools) names.add(name);
  if (toolChoice.kind === 'tool') names.add(toolChoice.name);
  if (toolChoice.kind === 'allowed') for (const name of toolChoice.names) names.add(name);
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') names.add(part.name);
  }
  return names;
}

type Names = ReadonlyMap<string, string>;

function renamed(request: TextRequest, written: Names): TextRequest {
  const name = (given: string): string => written.get(given) ?? given;
  return {
    ...request,
    tools: request.tools.map((tool) => (written.has(tool.name) ? { ...tool, name: name(tool.name) } : tool)),
    toolChoice: renamedChoice(request.toolChoice, name),
    messages: request.messages.map((message) => renamedMessage(message, written)),
  };
}

function renamedChoice(choice: ToolChoice, name: (given: string) => string): ToolChoice {
  if (choice.kind === 'tool') return { ...choice, name: name(choice.name) };
  return choice.kind === 'allowed' ? { ...choice, names: choice.names.map(name) } : choice;
}

function renamedMessage(message: Message, written: Names): Message {
  const isAffected = (part: Part): boolean =>
    (part.type === 'tool-call' || part.type === 'tool-result') && part.name !== undefined && written.has(part.name);
  if (!message.parts.some(isAffected)) return message;
  return { ...message, parts: message.parts.map((part) => renamedPart(part, written)) };
}

function renamedPart(part: Part, written: Names): Part {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return part;
  const name = part.name === undefined ? undefined : written.get(part.name);
  return name === undefined ? part : { ...part, name };
}

/** The reply with the client's own names. */
export function withOriginalNames(reply: TextReply, originals: Names): TextReply {
  if (originals.size === 0) return reply;
  const restored = (candidate: Candidate): Candidate => ({
    ...candidate,
    parts: candidate.parts.map((part) => renamedPart(part, originals)),
  });
  return { ...reply, candidates: reply.candidates.map(restored) };
}

export function withOriginalName(event: StreamEvent, originals: Names): StreamEvent {
  if (originals.size === 0 || event.type !== 'part-start' || event.opening.type !== 'tool-call') return event;
  const name = originals.get(event.opening.name);
  return name === undefined ? event : { ...event, opening: { ...event.opening, name } };
}
