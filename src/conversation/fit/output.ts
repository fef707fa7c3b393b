/** Asks in words for a reply in JSON where the model or the format has no field for it. */

import type { LossList } from '../loss-list.ts';
import type { ModelProfile } from '../model-profile.ts';
import type { Message, Part } from '../parts.ts';
import type { ConversationRules } from '../repair/rules.ts';
import type { TextRequest } from '../text-request.ts';

type Asked = Pick<TextRequest, 'output' | 'messages'>;

export const anyJson = 'Reply with one JSON object and nothing else.';

/** Undefined where the shape can stay as it is. */
export function fitOutput(
  { output, messages }: TextRequest,
  { refuses = [] }: ModelProfile,
  rules: ConversationRules,
  losses: LossList,
): Asked | undefined {
  if (output.kind === 'text') return undefined;
  const takesJson = rules.lacksJsonMode !== true && !refuses.includes('jsonOutput');
  if (output.kind === 'json') {
    if (!takesJson) {
      reportWords('JSON mode', losses);
      return { output: { kind: 'text' }, messages: instructed(messages, anyJson) };
    }
    // The original service refuses the mode in a conversation that does not mention JSON.
    if (rules.copied !== true || messages.some(mentionsJson)) return undefined;
    return { output, messages: instructed(messages, anyJson) };
  }
  if (!refuses.includes('schemaOutput')) return undefined;
  reportWords('output schema', losses);
  return {
    output: { kind: takesJson ? 'json' : 'text' },
    messages: instructed(messages, wordsFor(output.schema, output.description)),
  };
}

export function reportWords(what: 'JSON mode' | 'output schema', losses: LossList): void {
  losses.add(what, 'is not supported by the model; the prompt asks for it');
}

export function wordsFor(schema: unknown, description?: string): string {
  const about = description === undefined ? '' : ` (${description})`;
  return `Reply with JSON alone${about}, without a code fence, that is valid against this JSON Schema:\n${JSON.stringify(schema)}`;
}

function mentionsJson({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'text' && /json/i.test(part.text));
}

/** Behind the instructions that there are: the same place in every turn, so that what a provider cached stays as it was. */
function instructed(messages: readonly Message[], text: string): readonly Message[] {
  const words: Part = { type: 'text', text };
  const first = messages.findIndex(({ role }) => role !== 'instruction');
  const leading = first === -1 ? messages.length : first;
  const last = messages[leading - 1];
  if (last === undefined) return [{ role: 'instruction', parts: [words] }, ...messages];
  return messages.with(leading - 1, { ...last, parts: [...last.parts, words] });
}
