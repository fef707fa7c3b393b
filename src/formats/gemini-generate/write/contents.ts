/** Writes neutral messages as contents, for a provider. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import type { LossList } from '../../../conversation/loss-list.ts';
import { nativeName } from '../../../conversation/native-name.ts';
import type { Message, Part } from '../../../conversation/parts.ts';
import type { ArgumentTexts } from '../../../conversation/texts/argument-texts.ts';
import { writtenName } from '../function-names.ts';
import { formatName, skippedSignature } from '../wire.ts';
import { parsedArguments, writeAnswer, writeMedia } from './parts.ts';
import { resolutionOf, type Survey } from './survey.ts';

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Tree[];
}

interface WrittenContents {
  readonly contents: readonly Content[];
  readonly systemInstruction: { readonly parts: readonly Tree[] } | undefined;
}

export function writeContents(
  messages: readonly Message[],
  looked: Survey,
  losses: LossList,
  texts: ArgumentTexts,
): WrittenContents {
  const writing = new ContentsWriting(looked, losses, texts);
  for (const [index, message] of messages.entries()) writing.add(message, `messages[${index}]`);
  const { contents, instructions } = writing;
  return { contents, systemInstruction: instructions.length > 0 ? { parts: instructions } : undefined };
}

class ContentsWriting {
  readonly contents: Content[] = [];
  readonly instructions: Tree[] = [];
  readonly #looked: Survey;
  readonly #losses: LossList;
  readonly #texts: ArgumentTexts;
  /** Results must name the function, and other formats name the call only. */
  readonly #names = new Map<string, string>();
  #lastRole: Message['role'] | undefined;
  #callSeen = false;

  constructor(looked: Survey, losses: LossList, texts: ArgumentTexts) {
    this.#texts = texts;
    this.#looked = looked;
    this.#losses = losses;
  }

  add(message: Message, place: string): void {
    const { role } = message;
    if (message.name !== undefined) this.#losses.add(`${place}.name`, 'the format has no field for it');
    // Adjacent results make up one turn, since all results of a turn belong together; so do an assistant's pieces,
    // since a turn with calls must follow the user's directly.
    const isContinued = role === this.#lastRole && (role === 'tool' || role === 'assistant');
    if (!isContinued) this.#callSeen = false;
    const parts: Tree[] = [];
    for (const part of message.parts) {
      const written = this.#write(part, place, role);
      if (written !== undefined) parts.push(written);
    }
    if (role === 'instruction') {
      this.instructions.push(...parts);
      return;
    }
    this.#lastRole = role;
    const last = this.contents.at(-1);
    if (isContinued && last !== undefined) last.parts.push(...parts);
    // A content without parts is refused, an empty text is not.
    else
      this.contents.push({
        role: role === 'assistant' ? 'model' : 'user',
        parts: parts.length > 0 ? parts : [{ text: '' }],
      });
  }

  #write(part: Part, place: string, role: Message['role']): Tree | undefined {
    switch (part.type) {
      case 'text':
        if (part.citations !== undefined && part.citations.length > 0) {
          this.#losses.add(`${place} citations`, 'a request has no place for them');
        }
        return { text: part.text, ...signed(part) };
      case 'thinking':
        // Hidden thinking whose seal belongs to another provider is empty.
        if (part.redacted === true && part.seal === undefined) return undefined;
        return { text: part.text, thought: true, ...signed(part) };
      case 'refusal':
        this.#losses.add(`${place} refusal`, 'is written as plain text');
        return { text: part.text };
      case 'media': {
        const media = writeMedia(part, place, this.#losses);
        const level = resolutionOf(part);
        if (level === undefined && part.detail !== undefined && part.detail !== 'auto') {
          this.#losses.add(`${place} image detail`, `the format has no resolution ${part.detail}`);
        }
        if (media === undefined || level === undefined || !this.#looked.resolutionsDiffer) return media;
        return { ...media, mediaResolution: { level } };
      }
      case 'tool-call': {
        this.#names.set(part.id, part.name);
        const name = writtenName(part.name, place, this.#losses);
        const call = { id: part.id, name, args: parsedArguments(part, place, this.#losses, this.#texts) };
        // Newer models refuse a step whose first call has no signature.
        const signature = part.seal?.value ?? (this.#callSeen ? undefined : skippedSignature);
        this.#callSeen = true;
        return { functionCall: call, ...(signature !== undefined && { thoughtSignature: signature }) };
      }
      case 'tool-result': {
        const name = this.#names.get(part.callId) ?? part.name ?? part.callId;
        if (role === 'assistant') this.#losses.add(`${place} result`, "is in the assistant's own turn");
        return {
          functionResponse: writeAnswer(part, writtenName(name, place, this.#losses), place, this.#losses),
        };
      }
      case 'native':
        if (part.format === formatName && isObject(part.value)) return part.value;
        this.#losses.add(
          `${place} ${nativeName(part.value) ?? `${part.format} part`}`,
          `is supported by ${part.format} only`,
        );
        return undefined;
    }
  }
}

/** A seal that reaches this point was made by the very provider that is written to. */
function signed(part: { readonly seal?: { readonly value: string } }): Tree {
  return part.seal === undefined ? {} : { thoughtSignature: part.seal.value };
}
