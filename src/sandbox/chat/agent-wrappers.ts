/** Separates a user's text from an agent's additions, and agents' requests from applications'. */

import type { TextRequest } from '../../conversation/text-request.ts';

/** Agents put reminders and the state of the machine into the user's turn, between tags with such names. */
const wrapperName = /(?:reminder|context|instructions?|details|environment|datetime|metadata)$/i;
const openingTag = /<([a-z][\w-]{0,60})(?:\s[^<>]{0,200})?>/gi;

/**
 * Applications send short instructions and a few tools. Agents send instructions and descriptions that are together longer than
 * this, with so many words that some tool fits any question.
 */
const agentPromptLengthMin = 8_000;
/** A longer message was not typed by a user. */
const typedLengthMax = 4_000;

/** The text without wrappers. */
export function outsideWrappers(text: string): string {
  if (!text.includes('</')) return text;
  let kept = '';
  let end = 0;
  // An unclosed tag is searched once, so that a text full of them stays cheap.
  const unclosed = new Set<string>();
  openingTag.lastIndex = 0;
  for (let tag = openingTag.exec(text); tag !== null; tag = openingTag.exec(text)) {
    const [, name = ''] = tag;
    if (!wrapperName.test(name) || unclosed.has(name)) continue;
    const closing = `</${name}>`;
    const at = text.indexOf(closing, openingTag.lastIndex);
    if (at < 0) {
      unclosed.add(name);
      continue;
    }
    kept += text.slice(end, tag.index);
    end = at + closing.length;
    openingTag.lastIndex = end;
  }
  return end === 0 ? text : (kept + text.slice(end)).trim();
}

/** In an agent's request some tool fits any text, and its effects are real: files change, commands run. */
export function isAgentPrompt({ messages, tools }: TextRequest, question: string): boolean {
  if (question.length > typedLengthMax) return true;
  let length = 0;
  for (const { role, parts } of messages) {
    if (role !== 'instruction') continue;
    for (const part of parts) if (part.type === 'text') length += part.text.length;
  }
  for (const { description } of tools) length += description?.length ?? 0;
  return length >= agentPromptLengthMin;
}

const fanOutWords: ReadonlySet<string> = new Set(['agent', 'subagent', 'delegate', 'swarm', 'workflow', 'spawn']);
const handOverWords: ReadonlySet<string> = new Set(['transfer', 'handoff', 'hand']);

/**
 * Does the tool start further conversations? Each has the same tools and the same model, so one call would become hundreds. Handing
 * a conversation over to another agent starts none.
 */
export function fansOut(name: string, nameWords: ReadonlySet<string>): boolean {
  if (/^(?:new_?)?task$/i.test(name)) return true;
  const has = (words: ReadonlySet<string>) => [...words].some((word) => nameWords.has(word));
  return has(fanOutWords) && !has(handOverWords);
}

const endingWords: ReadonlySet<string> = new Set([
  'exit',
  'submit',
  'finish',
  'complete',
  'completion',
  'final',
  'done',
]);

/** Does the tool only end the run? Some agents repeat their request until it is called. */
export function endsRun(nameWords: ReadonlySet<string>): boolean {
  return [...endingWords].some((word) => nameWords.has(word));
}
