/**
 * What a provider has sent: every reply, call id and signature is unique, so that one conversation
 * cannot pass for another.
 */

import { answers, type CallSpec, calls, longText, type Scene } from './scenes.ts';

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A reply before a wire format has been chosen for it. */
export interface Said {
  readonly id: string;
  readonly model: string;
  readonly thought: string | undefined;
  /** What the client was shown of the thought. */
  readonly shownThought: string;
  readonly seal: string;
  /** Texts as a stream delivers them, piece by piece. */
  readonly pieces: readonly string[];
  readonly calls: readonly SaidCall[];
  readonly refusal: string | undefined;
}

export interface TurnFacts {
  /** The results are there, and the loop is answered. */
  readonly isSecond: boolean;
  readonly callPrefix: string;
  readonly showsThoughts: boolean;
}

export class Issued {
  readonly #byCall = new Map<string, Said>();
  readonly #bySeal = new Map<string, Said>();
  readonly #latest = new Map<string, Said>();

  say(scene: Scene, model: string, turn: TurnFacts): Said {
    const said = compose(scene, model, turn);
    for (const call of said.calls) this.#byCall.set(call.id, said);
    this.#bySeal.set(said.seal, said);
    if (said.calls.length > 0) this.#latest.set(said.calls.map(({ name }) => name).join(), said);
    return said;
  }

  /**
   * The reply in which these calls were made; by its signature, or the last of its kind where its ids were never sent.
   */
  find(
    isNamed: boolean,
    given: readonly { readonly id?: string | undefined; readonly seal?: string | undefined; name: string }[],
  ) {
    const [first] = given;
    if (first === undefined) return undefined;
    if (isNamed) return this.#byCall.get(first.id ?? '');
    return this.#bySeal.get(first.seal ?? '') ?? this.#latest.get(given.map(({ name }) => name).join());
  }
}

let count = 0;

export function unique(prefix: string): string {
  return `${prefix}${(++count).toString(36)}${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

function compose(scene: Scene, model: string, { isSecond, callPrefix, showsThoughts }: TurnFacts): Said {
  const thought = scene.name === 'thinking' && !isSecond ? answers.thought : undefined;
  const made = isSecond ? [] : (calls[scene.name] ?? []);
  return {
    id: scene.flags.has('noid') ? '' : unique(''),
    model,
    thought,
    shownThought: showsThoughts ? (thought ?? '') : '',
    seal: Buffer.from(unique('signature of ')).toString('base64'),
    pieces: piecesOf(scene, isSecond),
    calls: made.map((call: CallSpec) => ({
      id: unique(callPrefix),
      name: call.name,
      arguments: JSON.stringify(call.input, null, 1),
    })),
    refusal: scene.name === 'refusal' ? answers.refusal : undefined,
  };
}

function piecesOf({ name }: Scene, isSecond: boolean): readonly string[] {
  switch (name) {
    case 'text':
    case 'checked':
    case 'free':
      return cut(answers.text, 6);
    case 'tools':
    case 'parallel':
    case 'thinking':
      return cut(isSecond ? answers.after : answers.beside, 9);
    case 'images':
      return cut(answers.images, 9);
    case 'schema':
      return cut(answers.schema, 7);
    case 'long':
      return longText().match(/\d+ /g) ?? [];
    case 'late-reset':
      return cut(answers.late, 9);
    case 'cut-end':
    case 'cut-reset':
      return cut(answers.cut, 5);
    default:
      return [];
  }
}

/** By code points: a provider does not split a character either. */
export function cut(text: string, length: number): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += length) pieces.push(characters.slice(at, at + length).join(''));
  return pieces;
}
