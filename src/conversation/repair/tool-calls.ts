/** Brings tool calls and their results into the order and under the ids that a format insists on. */

import type { LossList } from '../loss-list.ts';
import type { Message, Part, ToolResultPart } from '../parts.ts';
import { mapKept } from './map-kept.ts';
import { type Call, type CallLinks, matchCalls, noTurn } from './match-calls.ts';
import type { ConversationRules } from './rules.ts';
import { hasTidyCalls } from './tidy-calls.ts';

export function withFittingCalls(
  messages: readonly Message[],
  rules: ConversationRules,
  losses: LossList,
): readonly Message[] {
  return hasTidyCalls(messages, rules) ? messages : repairedCalls(messages, rules, losses);
}

export function repairedCalls(
  messages: readonly Message[],
  rules: ConversationRules,
  losses: LossList,
): readonly Message[] {
  const links = matchCalls(messages, rules);
  const renamed = withFittingIds(messages, links);
  return rules.pairsCalls === true ? new Pairing(renamed, links, losses).messages() : renamed;
}

function withFittingIds(messages: readonly Message[], links: CallLinks): readonly Message[] {
  return mapKept(messages, (message, turn) => {
    const calls = links[turn];
    if (calls === undefined) return message;
    const parts = mapKept<Part>(message.parts, (part, index) => {
      const id = calls[index]?.id;
      if (id === undefined) return part;
      if (part.type === 'tool-call') return part.id === id ? part : { ...part, id };
      if (part.type === 'tool-result') return part.callId === id ? part : { ...part, callId: id };
      return part;
    });
    return parts === message.parts ? message : { ...message, parts };
  });
}

/**
 * Puts every result directly after its call, adds a missing one, and keeps a result without a call as the user's text.
 */
class Pairing {
  readonly #messages: readonly Message[];
  readonly #links: CallLinks;
  readonly #losses: LossList;
  /** Turns whose results are in the right place already. */
  readonly #settled = new Set<number>();
  readonly #results = new Map<Call, ToolResultPart>();
  readonly #paired: Message[] = [];
  #changed = false;

  constructor(messages: readonly Message[], links: CallLinks, losses: LossList) {
    this.#messages = messages;
    this.#links = links;
    this.#losses = losses;
    for (const [turn, { parts }] of messages.entries()) {
      for (const [index, call] of links[turn]?.entries() ?? []) {
        const part = parts[index];
        if (call !== undefined && part?.type === 'tool-result') this.#results.set(call, part);
      }
    }
  }

  messages(): readonly Message[] {
    for (const [turn, message] of this.#messages.entries()) {
      const links = this.#links[turn];
      if (links === undefined) this.#paired.push(message);
      else if (message.role === 'assistant') this.#addCalls(message, turn, links);
      else this.#addOthers(message, links);
    }
    return this.#changed ? this.#paired : this.#messages;
  }

  #addCalls(message: Message, turn: number, links: readonly (Call | undefined)[]): void {
    this.#paired.push(message);
    const calls = links.filter((call) => call !== undefined);
    if (this.#isSettled(turn, calls.length)) {
      this.#settled.add(turn);
      return;
    }
    this.#changed = true;
    this.#paired.push({ role: 'tool', parts: calls.map((call) => this.#results.get(call) ?? this.#noResult(call)) });
  }

  /** Do the turn's results, all of them, come next and before anything else? */
  #isSettled(turn: number, calls: number): boolean {
    let found = 0;
    for (let next = turn + 1; next < this.#messages.length && found < calls; next += 1) {
      const links = this.#links[next];
      if (links === undefined) return false;
      for (const call of links) {
        if (found === calls) break;
        if (call?.turn !== turn || this.#messages[next]?.role === 'assistant') return false;
        found += 1;
      }
    }
    return found === calls;
  }

  /** What is left of a turn of results when those that belong elsewhere are gone. */
  #addOthers(message: Message, links: readonly (Call | undefined)[]): void {
    const rest: Part[] = [];
    let changed = false;
    for (const [index, part] of message.parts.entries()) {
      const call = links[index];
      if (call === undefined || part.type !== 'tool-result' || this.#settled.has(call.turn)) {
        rest.push(part);
        continue;
      }
      changed = true;
      if (call.turn !== noTurn) continue;
      this.#losses.add(
        `tool result ${call.name || call.id}`.trimEnd(),
        "answers no call; its content was kept as the user's words",
      );
      for (const inner of part.parts) rest.push(inner);
    }
    if (!changed) {
      this.#paired.push(message);
      return;
    }
    this.#changed = true;
    if (rest.length === 0) return;
    const role = rest.every(({ type }) => type === 'tool-result') ? message.role : 'user';
    this.#paired.push({ ...message, role, parts: rest });
  }

  #noResult({ id, name }: Call): ToolResultPart {
    this.#losses.add(`tool call ${name || id}`, 'had no result; an error was put in its place');
    const text = 'No result was given.';
    return { type: 'tool-result', callId: id, name, parts: [{ type: 'text', text }], failed: true };
  }
}
