/** The cells of the matrix: every library × provider format × scene × manner of reply, and what must come of each. */

import {
  answers,
  calls,
  conversation,
  faults,
  image,
  longText,
  modelOf,
  type SceneName,
  sampling,
  tools,
  usage,
  weatherSchema,
} from '../fake-upstream/wire/scenes.ts';
import type { Namesake, ProviderName } from '../fake-upstream/wire/start-all.ts';
import { aiSdkCallers } from './call-ai-sdk.ts';
import { chatCaller, completionsCaller } from './call-chat.ts';
import { cohereCaller } from './call-cohere.ts';
import { generateCaller } from './call-generate.ts';
import { messagesCallers } from './call-messages.ts';
import { responsesCaller } from './call-responses.ts';
import type { Caller, Outcome, Question, Session } from './caller.ts';

const formats: readonly Caller['format'][] = [
  'chat',
  'responses',
  'messages',
  'content generation',
  'completions',
  'cohere chat',
];

export const callers: readonly Caller[] = [
  chatCaller,
  responsesCaller,
  ...messagesCallers,
  generateCaller,
  completionsCaller,
  cohereCaller,
  ...aiSdkCallers,
].sort((a, b) => formats.indexOf(a.format) - formats.indexOf(b.format));

export interface Cell {
  readonly caller: Caller;
  readonly provider: ProviderName;
  readonly scene: SceneName;
  readonly stream: boolean;
}

/**
 * Scenes in which a provider fails: its circuit is open for a while afterwards, which must not affect the other cells.
 */
const failing: ReadonlySet<SceneName> = new Set(['busy', 'fault-first', 'cut-reset', 'cut-end', 'late-reset']);

export function namesakeOf({ caller, provider, scene, stream }: Cell): Namesake | undefined {
  if (!failing.has(scene)) return undefined;
  const alias = `${provider}-${callers.indexOf(caller)}-${scene}-${stream ? 'stream' : 'whole'}`;
  return { alias, provider, model: modelOf(scene, flagsOf(caller, provider, scene)) };
}

export function modelOfCell(cell: Cell): string {
  const { caller, provider, scene } = cell;
  return `${namesakeOf(cell)?.alias ?? provider}/${modelOf(scene, flagsOf(caller, provider, scene))}`;
}

/**
 * Nothing is translated between a chat client and a chat provider, and such clients return no signatures by themselves.
 */
function flagsOf(caller: Caller, provider: ProviderName, scene: SceneName) {
  const flags = caller.flags[scene] ?? [];
  const forwarded = scene === 'thinking' && provider === 'chat' && caller.format === 'chat';
  return forwarded ? [...flags, 'unsealed' as const] : flags;
}

function questionOf({ caller, scene }: Cell): Question {
  const { question: text, system, greeting, greeted } = conversation;
  switch (scene) {
    case 'text':
      return { system, earlier: [greeting, greeted], text, sampling };
    case 'tools':
      return { text, tools, choice: { name: 'get_weather' } };
    case 'parallel':
      return { text, tools, choice: 'required' };
    case 'thinking':
      return { text, tools, thinking: true };
    case 'images':
      return { text, images: { ...image, url: caller.linksImages ? image.url : undefined } };
    case 'schema':
      return { text, schema: weatherSchema };
    default:
      return { text };
  }
}

/** Throws what is wrong with the cell. */
export async function runCell(cell: Cell, session: Session): Promise<void> {
  const { caller, scene, stream } = cell;
  const asking = session.ask(questionOf(cell), stream);
  // An event has no status, but its type implies one.
  if (scene === 'busy' || scene === 'wrong' || scene === 'fault-first') {
    return await expectFault(asking, caller, faults[scene]);
  }
  if (scene === 'cut-reset' || scene === 'cut-end') return await expectCut(asking, caller);
  const outcome = await asking;
  checkOutcome(outcome, cell);
  const made = calls[scene];
  if (made === undefined) return;
  const last = await session.answer(made, stream);
  equal(last.text, answers.after, 'the text after the results');
  equal(last.finish, 'stop', 'the finish after the results');
  equal(last.usage, counted, 'the usage after the results');
}

const { thinking: _, ...counted } = usage;

const texts: Readonly<Partial<Record<SceneName, string>>> = {
  text: answers.text,
  tools: answers.beside,
  parallel: answers.beside,
  thinking: answers.beside,
  images: answers.images,
  schema: answers.schema,
  long: longText(),
  'late-reset': answers.late,
};

function checkOutcome(outcome: Outcome, cell: Cell): void {
  const { caller, scene } = cell;
  equal(outcome.usage, counted, 'the usage');
  if (scene === 'refusal') {
    checkRefusal(outcome, cell);
    return;
  }
  equal(outcome.text, texts[scene], 'the text');
  const made = (calls[scene] ?? []).map(({ name, input }) => ({ name, input }));
  equal(outcome.calls, made, 'the calls');
  equal(outcome.finish, made.length > 0 ? 'calls' : 'stop', 'the finish');
  if (scene === 'schema') equal(JSON.parse(outcome.text), JSON.parse(answers.schema), 'the JSON');
  const shows = showsThinking(caller, cell.provider);
  equal(outcome.thinking, scene === 'thinking' && shows ? answers.thought : '', 'the thoughts');
}

/** A client that cannot request thoughts sees those that come without a request. */
function showsThinking({ seesThinking }: Caller, provider: ProviderName): boolean {
  if (seesThinking === 'never') return false;
  return seesThinking === 'asked' || provider === 'chat' || provider === 'messages';
}

/** Two formats have refusals in the model's words; one explains them beside the reply, which only its own clients can read. */
function refusalWords({ format }: Caller, provider: ProviderName): string | undefined {
  const isSaid = provider === 'chat' || provider === 'responses' || (provider === 'messages' && format === 'messages');
  return isSaid ? answers.refusal : undefined;
}

function checkRefusal(outcome: Outcome, { caller, provider }: Cell): void {
  equal(outcome.calls, [], 'the calls of a refusal');
  if (caller.seesRefusals === 'never') {
    if (outcome.text !== '' && outcome.text !== answers.refusal) equal(outcome.text, '', 'the text of a refusal');
    return;
  }
  equal(outcome.finish, 'refused', 'the finish of a refusal');
  const words = refusalWords(caller, provider);
  if (caller.seesRefusals === 'words') equal(outcome.refusal, words, 'the words of a refusal');
}

async function caught(asking: Promise<Outcome>): Promise<unknown> {
  return await asking.then(
    (outcome) => {
      throw new Error(`no error but a reply: ${JSON.stringify(outcome).slice(0, 300)}`);
    },
    (error: unknown) => error,
  );
}

async function expectFault(
  asking: Promise<Outcome>,
  caller: Caller,
  fault: { readonly status: number; readonly message: string },
): Promise<void> {
  const { own, status, message } = caller.readError(await caught(asking));
  if (!own) throw new Error(`not an error of the library: ${message}`);
  equal(status, fault.status, 'the status');
  if (!message.includes(fault.message)) equal(message, fault.message, 'the message');
}

/** Half a reply never counts as a whole one, and the library's own error reports what happened. */
async function expectCut(asking: Promise<Outcome>, caller: Caller): Promise<void> {
  const { own, message } = caller.readError(await caught(asking));
  if (!own) throw new Error(`not an error of the library: ${message}`);
  if (!/broke off|is not a reply/.test(message))
    throw new Error(`an error that does not say what happened: ${message}`);
}

function equal(found: unknown, expected: unknown, what: string): void {
  if (!Bun.deepEquals(found, expected)) {
    throw new Error(`${what}: ${shown(found)} instead of ${shown(expected)}`);
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 400);
}
