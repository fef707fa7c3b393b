/** A kept request as a conversation of the playground: its texts, its system prompt and its parameters, whichever format it came in. */

import {
  type Conversation,
  emptySettings,
  type FormatName,
  type ParameterName,
  type Parameters,
  type Round,
  titleOf,
} from '../../playground/conversation/conversation.ts';

/** The endpoints whose requests are conversations, and the format of each as the playground names it. */
const formatsOf: Readonly<Record<string, FormatName>> = {
  chat: 'chat',
  messages: 'messages',
  responses: 'responses',
  'generate-content': 'generate',
  'cohere-chat': 'chat',
};

export function replayFormat(endpoint: string): FormatName | undefined {
  return formatsOf[endpoint];
}

interface ReplayMakers {
  readonly nowMs: number;
  newId(): string;
}

/** Undefined where the text was cut, or holds nothing that was said. */
export function replayOf(request: string, model: string, { nowMs, newId }: ReplayMakers): Conversation | undefined {
  const body = fieldsOf(parsed(request));
  const turns = turnsOf(body);
  const rounds = roundsOf(turns, model, newId);
  const leafId = rounds.at(-1)?.id;
  if (leafId === undefined) return undefined;
  const system = [body['system'], body['instructions'], body['systemInstruction'], body['system_instruction']]
    .map(textOf)
    .concat(turns.filter(({ role }) => role === 'system' || role === 'developer').map(({ text }) => text))
    .filter((text) => text !== '')
    .join('\n\n');
  return {
    id: newId(),
    title: titleOf(rounds[0]?.text ?? ''),
    changedAtMs: nowMs,
    models: [model],
    settings: { ...emptySettings, system, parameters: parametersOf(body) },
    rounds,
    leafId,
  };
}

interface Turn {
  readonly role: string;
  readonly text: string;
}

/** Every format has a list of turns, or just one text; they differ in what they call it. */
function turnsOf(body: Fields): readonly Turn[] {
  const list = body['messages'] ?? body['contents'] ?? body['input'];
  if (typeof list === 'string') return [{ role: 'user', text: list }];
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
    const turn = fieldsOf(entry);
    const text = textOf(turn['content'] ?? turn);
    return text === '' ? [] : [{ role: String(turn['role'] ?? 'user'), text }];
  });
}

function roundsOf(turns: readonly Turn[], model: string, newId: () => string): readonly Round[] {
  const rounds: Round[] = [];
  for (const { role, text } of turns) {
    const last = rounds.at(-1);
    if (role === 'user') {
      rounds.push({
        id: newId(),
        text,
        attachments: [],
        answers: [],
        ...(last !== undefined && { parentId: last.id }),
      });
    } else if ((role === 'assistant' || role === 'model') && last !== undefined) {
      const answers = [{ model, steps: [{ thinking: '', text, calls: [] }] }];
      rounds[rounds.length - 1] = { ...last, answers };
    }
  }
  return rounds;
}

const parameterSpellings: Readonly<Partial<Record<ParameterName, readonly string[]>>> = {
  temperature: ['temperature'],
  topP: ['top_p', 'topP'],
  topK: ['top_k', 'topK'],
  maxTokens: ['max_completion_tokens', 'max_tokens', 'max_output_tokens', 'maxOutputTokens'],
  seed: ['seed'],
};

function parametersOf(body: Fields): Parameters {
  const all: Fields = { ...body, ...fieldsOf(body['generationConfig']) };
  const found = Object.entries(parameterSpellings).flatMap(([name, spellings]) => {
    const value = spellings.map((spelling) => all[spelling]).find((one) => typeof one === 'number');
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(found);
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A text, a list of parts, or something that holds parts; what is no text is left out. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n');
  const { text, parts } = fieldsOf(value);
  return typeof text === 'string' ? text : parts === undefined ? '' : textOf(parts);
}
