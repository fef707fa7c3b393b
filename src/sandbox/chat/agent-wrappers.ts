/** Tells a person's words from what an agent adds to them, and an agent's request from an application's. */

import type { TextRequest } from '../../conversation/text-request.ts';

/** Agents put reminders, the state of the machine and the like into the user's turn, between tags with such names. */
const wrapperName = /(?:reminder|context|instructions?|details|environment|datetime|metadata)$/i;
const openingTag = /<([a-z][\w-]{0,60})(?:\s[^<>]{0,200})?>/gi;

/**
 * Applications that call tools give a page of instructions and a few tools. An agent gives a manual: instructions and descriptions
 * together are longer than this, and so full of words that some tool fits any question.
 */
const manualLengthMin = 8_000;
/** Nobody types as much to ask for one call. */
const typedLengthMax = 4_000;

/** The text without what is wrapped. A text without wrappers comes back as it is. */
export function outsideWrappers(text: string): string {
  if (!text.includes('</')) return text;
  let kept = '';
  let end = 0;
  // A tag that is never closed is looked for once: a text full of them must not be searched again and again.
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

/** In an agent's request a tool is found for any words, and what it does is real: files are changed, commands are run. */
export function isAgentPrompt({ messages, tools }: TextRequest, question: string): boolean {
  if (question.length > typedLengthMax) return true;
  let length = 0;
  for (const { role, parts } of messages) {
    if (role !== 'instruction') continue;
    for (const part of parts) if (part.type === 'text') length += part.text.length;
  }
  for (const { description } of tools) length += description?.length ?? 0;
  return length >= manualLengthMin;
}

const fanOutWords: ReadonlySet<string> = new Set(['agent', 'subagent', 'delegate', 'swarm', 'workflow', 'spawn']);
const handOverWords: ReadonlySet<string> = new Set(['transfer', 'handoff', 'hand']);

/**
 * Does the tool start conversations of its own? Each of them has the same tools and meets the same model, so that one call becomes
 * hundreds. Handing a conversation over to another agent starts none.
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

/** Does the tool do nothing but end the run? Some agents ask again and again until it is called. */
export function endsRun(nameWords: ReadonlySet<string>): boolean {
  return [...endingWords].some((word) => nameWords.has(word));
}
