/** Makes of a conversation in good order one as careless clients send it: turns doubled, lost and mixed up, ids missing or wrong. */

import type { Message, Origin, Part } from '../../src/conversation/parts.ts';
import type { TextRequest } from '../../src/conversation/text-request.ts';
import type { Random } from './random.ts';

/** `stranger` is the origin of the seals that do not belong. */
export function disordered(request: TextRequest, random: Random, stranger: Origin): TextRequest {
  let messages = [...request.messages];
  for (let steps = random.int(1, 6); steps > 0; steps -= 1) messages = disturb(messages, random, stranger);
  return { ...request, messages };
}

const blankTurns: readonly Message[] = [
  { role: 'user', parts: [] },
  { role: 'assistant', parts: [{ type: 'text', text: '' }] },
  { role: 'user', parts: [{ type: 'text', text: ' \n' }] },
  { role: 'assistant', parts: [{ type: 'thinking', text: '', redacted: true }] },
  { role: 'instruction', parts: [{ type: 'text', text: 'Be brief.' }], authority: 'developer' },
];

function disturb(messages: readonly Message[], random: Random, stranger: Origin): Message[] {
  const at = random.int(0, Math.max(0, messages.length - 1));
  const chosen = messages[at];
  if (chosen === undefined) return [random.pick(blankTurns)];
  const kind = random.int(0, 6);
  if (kind === 0) return messages.toSpliced(at, 1);
  if (kind === 1) return messages.toSpliced(random.int(0, messages.length), 0, chosen);
  if (kind === 2) return messages.toSpliced(at, 1).toSpliced(random.int(0, messages.length), 0, chosen);
  if (kind === 3) return messages.toSpliced(at, 0, random.pick(blankTurns));
  if (kind === 4) return messages.toSpliced(at, 1, { ...chosen, parts: random.shuffled(chosen.parts) });
  if (kind === 5) return messages.toSpliced(at, 1, ...chosen.parts.map((part) => ({ ...chosen, parts: [part] })));
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => spoilt(part, random, stranger)),
  }));
}

function spoilt(part: Part, random: Random, stranger: Origin): Part {
  if (random.chance(0.6)) return part;
  const oddId = random.pick(['', 'call 1', 'ünïd', 'functions.get:0', 'x'.repeat(200), `call_${random.token()}`]);
  if (part.type === 'tool-call' && random.chance()) return { ...part, id: oddId };
  if (part.type === 'tool-result') return { ...part, callId: oddId };
  if ('seal' in part && part.seal !== undefined) return { ...part, seal: { ...part.seal, origin: stranger } };
  if (part.type === 'text') return { ...part, text: random.pick(['', ' ', part.text]) };
  return part;
}
