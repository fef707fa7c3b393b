/** What each scene demands of the request that reaches a provider, whatever wire format it came in. */

import type { Issued, Said } from './issued.ts';
import { answers, type CallSpec, calls, conversation, image, type Scene, sampling, tools } from './scenes.ts';
import { must, object, type Seen, type SeenItem, type SeenTurn, shown } from './seen.ts';

/** Where a format carries its signatures. */
export type SealPlace = 'thinking' | 'call';

export interface Demander {
  readonly sealPlace: SealPlace;
  /** The format has a field for stop sequences. */
  readonly takesStop: boolean;
  /** Its calls carry ids; without them Weir makes its own, which only have to fit each other. */
  readonly namesCalls: (count: number) => boolean;
  readonly issued: Issued;
}

/** Throws what is wrong with the request; true where it is the second turn of a loop. */
export function demand(scene: Scene, seen: Seen, demander: Demander): boolean {
  if (scene.name === 'checked') return false;
  must(seen.turns.at(-1)?.role === 'user', 'the last turn is not the user’s');
  switch (scene.name) {
    case 'text':
      demandText(scene, seen, demander);
      return false;
    case 'images':
      demandImages(scene, seen);
      return false;
    case 'schema':
      demandSchema(seen);
      return false;
    case 'tools':
    case 'parallel':
    case 'thinking':
      return demandLoop(scene, calls[scene.name] ?? [], seen, demander);
    default:
      same(lastText(seen), conversation.question, 'the question');
      return false;
  }
}

function same(found: unknown, expected: unknown, what: string): void {
  must(canonical(found) === canonical(expected), `${what}: ${shown(found)} instead of ${shown(expected)}`);
}

/** Equal JSON whatever the order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function lastText(seen: Seen): string {
  return textOf(seen.turns.at(-1));
}

function textOf(turn: SeenTurn | undefined): string {
  return (turn?.items ?? []).map((item) => (item.kind === 'text' ? item.text : `[${item.kind}]`)).join('|');
}

function demandText(scene: Scene, seen: Seen, { takesStop }: Demander): void {
  if (!scene.flags.has('prompt')) {
    same(seen.system, [conversation.system], 'the instructions');
    const turns = seen.turns.map((turn) => `${turn.role} ${textOf(turn)}`);
    const { greeting, greeted, question } = conversation;
    const expected = [`user ${greeting}`, `assistant ${greeted}`, `user ${question}`];
    same(turns, expected, 'the turns');
  } else same(lastText(seen), conversation.question, 'the prompt');
  same(seen.maxTokens, sampling.maxTokens, 'the limit of the reply');
  same(seen.temperature, sampling.temperature, 'the temperature');
  if (takesStop && !scene.flags.has('nostop')) same(seen.stop, [sampling.stop], 'the stop sequences');
}

function demandImages(scene: Scene, seen: Seen): void {
  const images = (seen.turns.at(-1)?.items ?? []).filter((item) => item.kind === 'image');
  const held = images.find((item) => item.data !== undefined);
  same([held?.mediaType, held?.data], [image.mediaType, image.data], 'the image in the request');
  const linked = images.find((item) => item.url !== undefined);
  if (!scene.flags.has('data')) same(linked?.url, image.url, 'the address of the linked image');
  same(images.length, scene.flags.has('data') ? 1 : 2, 'the number of images');
  must(textOf(seen.turns.at(-1)).includes(conversation.question), 'the question beside the images is missing');
}

function demandSchema(seen: Seen): void {
  must(seen.schema !== undefined, 'no schema for the reply');
  const properties = object(seen.schema.properties, 'schema.properties');
  same(typeOf(properties.city), 'string', 'schema.properties.city.type');
  same(typeOf(properties.celsius), 'number', 'schema.properties.celsius.type');
  same(seen.schema.required, ['city', 'celsius'], 'schema.required');
}

/** One dialect writes its types in capitals. */
function typeOf(schema: unknown): unknown {
  const type = object(schema, 'schema').type;
  return typeof type === 'string' ? type.toLowerCase() : type;
}

function demandTools(seen: Seen): void {
  same(
    seen.tools.map(({ name }) => name),
    tools.map(({ name }) => name),
    'the tools',
  );
  for (const [index, tool] of tools.entries()) {
    const declared = seen.tools[index];
    same(declared?.description, tool.description, `${tool.name}.description`);
    const properties = object(declared?.schema.properties, `${tool.name}.properties`);
    same(typeOf(properties[tool.property]), 'string', `${tool.name}.${tool.property}`);
    same(declared?.schema.required, [tool.property], `${tool.name}.required`);
  }
}

function demandLoop(scene: Scene, made: readonly CallSpec[], seen: Seen, demander: Demander): boolean {
  demandTools(seen);
  if (scene.name === 'thinking') must(seen.thinks, 'thinking is not asked for');
  const results = seen.turns.flatMap(({ items }) => items.filter((item) => item.kind === 'result'));
  if (results.length === 0) {
    const isUnchosen = scene.name === 'parallel' || scene.flags.has('unchosen');
    if (scene.name === 'tools' && !isUnchosen) same(seen.choice, { name: 'get_weather' }, 'the demanded tool');
    if (isUnchosen) same(seen.choice, 'required', 'the choice of tools');
    same(lastText(seen), conversation.question, 'the question');
    return false;
  }
  same(seen.choice, 'auto', 'the choice of tools in the second turn');
  same(results.length, made.length, 'the number of results');
  const turn = seen.turns.at(-2);
  must(turn?.role === 'assistant', 'no assistant turn before the results');
  const said = turn.items.filter((item) => item.kind === 'call');
  same(said.length, made.length, 'the number of calls given back');
  const isNamed = demander.namesCalls(made.length) && !scene.flags.has('unnamed');
  const original = demander.issued.find(isNamed, said);
  must(original !== undefined, `calls that were never made: ${shown(said)}`);
  for (const [index, call] of made.entries()) demandPair(call, index, isNamed ? original : undefined, said, results);
  demandOrder(turn, scene);
  if (scene.name === 'thinking' && !scene.flags.has('unsealed')) demandSeal(turn, original, demander.sealPlace);
  return true;
}

type SeenCall = Extract<SeenItem, { kind: 'call' }>;
type SeenResult = Extract<SeenItem, { kind: 'result' }>;

function demandPair(
  call: CallSpec,
  index: number,
  original: Said | undefined,
  said: readonly SeenCall[],
  results: readonly SeenResult[],
): void {
  const given = said[index];
  must(given !== undefined, `call ${index} is missing`);
  same([given.name, given.input], [call.name, call.input], `call ${index} given back`);
  if (original !== undefined) same(given.id, original.calls[index]?.id, `the id of call ${index}`);
  const result = given.id === undefined ? results[index] : results.find(({ id }) => id === given.id);
  must(result !== undefined, `no result for call ${index} (${given.id}) among ${shown(results)}`);
  if (result.name !== undefined) same(result.name, call.name, `the name beside result ${index}`);
  must(result.text.includes(call.result), `result ${index}: ${shown(result.text)} instead of ${call.result}`);
}

/** Thinking comes first, then the text, then the calls. */
function demandOrder({ items }: SeenTurn, scene: Scene): void {
  const kinds = items.map(({ kind }) => kind).filter((kind) => kind !== 'thinking');
  const made = (calls[scene.name] ?? []).map(() => 'call');
  same(kinds, ['text', ...made], 'the order of the assistant turn');
  const spoken = items.find((item) => item.kind === 'text');
  same(spoken?.text, answers.beside, 'the text beside the calls');
}

function demandSeal({ items }: SeenTurn, original: Said, place: SealPlace): void {
  if (place === 'call') {
    const call = items.find((item) => item.kind === 'call');
    same(call?.seal, original.seal, 'the signature of the call');
    return;
  }
  const [first] = items;
  must(first?.kind === 'thinking', `the turn does not begin with its thoughts but with ${first?.kind}`);
  same(first.seal, original.seal, 'the signature of the thoughts');
  same(first.text, original.shownThought, 'the text of the thoughts');
}
