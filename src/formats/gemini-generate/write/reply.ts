/** Writes a whole neutral reply as the content-generation format's response object. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted, Part, TokenLogprob } from '../../../conversation/parts.ts';
import { writeSeal } from '../../../conversation/seals/seal.ts';
import type { Candidate, Finish, TextReply } from '../../../conversation/text-reply.ts';
import type { Usage } from '../../../conversation/usage.ts';
import type { ReplyContext } from '../../codec.ts';
import { isCarried, type SealedThought, writeThoughts } from '../carried-thoughts.ts';
import { type CitedText, writeCitations } from '../grounding.ts';
import { writeLogprobs } from '../logprobs.ts';
import { KeptFields } from '../reply-fields.ts';
import { writeUsage } from '../usage.ts';
import { finishWord, formatName, writeThinkingSeal } from '../wire.ts';
import { parsedArguments, writeMedia } from './parts.ts';

export function writeReply(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  losses.addForeign(reply.extras, formatName);
  const kept = new KeptFields(reply.extras);
  // A prompt that was blocked has no candidates on this wire.
  const blocked = 'promptFeedback' in kept.reply && reply.candidates.every(({ parts }) => !parts.some(isAnswer));
  const usage = usageOf(reply.usage, reply.serviceTier, kept, losses);
  const value = {
    ...(!blocked && {
      candidates: reply.candidates.map((candidate, index) => writeCandidate(candidate, index, kept, losses)),
    }),
    ...kept.reply,
    ...(usage !== undefined && { usageMetadata: usage }),
    modelVersion: reply.model,
    responseId: reply.id === '' ? context.newId('') : reply.id,
  };
  return { value, losses: losses.all };
}

function isAnswer({ type }: Part): boolean {
  return type !== 'refusal';
}

export function usageOf(
  usage: Usage,
  serviceTier: string | undefined,
  kept: KeptFields,
  losses: LossList,
): Tree | undefined {
  const counts = writeUsage(usage);
  if (usage.input.cacheWrite !== undefined && usage.input.cacheWrite > 0) {
    losses.add('usage of cache writes', 'the format does not count them');
  }
  const tier = serviceTier === undefined ? {} : { serviceTier: serviceTier === 'default' ? 'standard' : serviceTier };
  const fields = { ...counts, ...tier, ...kept.usage };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function writeCandidate(candidate: Candidate, index: number, kept: KeptFields, losses: LossList): Tree {
  const parts: Tree[] = [];
  const cited: CitedText[] = [];
  const logprobs: TokenLogprob[] = [];
  let thoughts: SealedThought[] = [];
  for (const [place, part] of candidate.parts.entries()) {
    if (part.type === 'text') {
      // An empty text is not shown, so a citation has no text to refer to.
      if (part.citations !== undefined && part.text !== '')
        cited.push({ part: parts.length, text: part.text, citations: part.citations });
      for (const token of part.logprobs ?? []) logprobs.push(token);
    }
    if (isCarried(part)) thoughts.push(part);
    const isSignedLater = isCarried(part) && candidate.parts[place + 1]?.type === 'tool-call';
    const written = writePart(isSignedLater ? { type: 'thinking', text: part.text } : part, losses);
    if (part.type === 'tool-call' && part.seal === undefined) {
      const signature = writeThoughts(thoughts);
      parts.push({ ...written, ...(signature !== undefined && { thoughtSignature: signature }) });
      thoughts = [];
    } else if (written !== undefined) parts.push(written);
  }
  reportFinish(candidate.finish, losses);
  const fields = kept.candidate(index);
  return {
    content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
    finishReason: finishWord(candidate.finish),
    index,
    ...(logprobs.length > 0 && { logprobsResult: writeLogprobs(logprobs) }),
    ...writtenCitations(cited, fields, losses),
    ...fields,
  };
}

/** Where the whole grounding was kept it holds the citations already; only those of the other kind are added to it. */
export function writtenCitations(cited: readonly CitedText[], fields: Tree, losses: LossList): Tree {
  if (fields.groundingMetadata === undefined) return writeCitations(cited, losses);
  const own = cited.map((text) => ({
    ...text,
    citations: text.citations.filter(({ native }) => native?.format === formatName),
  }));
  return writeCitations(own, losses);
}

/** Reasons that the format has no word for. */
export function reportFinish({ reason, raw, stopSequence }: Finish, losses: LossList): void {
  if (reason === 'pause' || reason === 'refusal')
    losses.add(`finish reason ${raw ?? reason}`, 'is not supported by the format');
  if (stopSequence !== undefined) losses.add('stop sequence', 'the format does not say which one was met');
}

function writePart(part: Part, losses: LossList): Tree | undefined {
  switch (part.type) {
    case 'text':
      return { text: part.text, ...(part.seal !== undefined && { thoughtSignature: writeSeal(part.seal) }) };
    case 'thinking':
      return {
        text: part.text,
        thought: true,
        ...(part.seal !== undefined && { thoughtSignature: writeThinkingSeal(part.seal, part.redacted === true) }),
      };
    case 'tool-call':
      return {
        functionCall: { id: part.id, name: part.name, args: parsedArguments(part, 'reply', losses) },
        ...(part.seal !== undefined && { thoughtSignature: writeSeal(part.seal) }),
      };
    case 'refusal':
      losses.add('refusal', 'is written as plain text');
      return { text: part.text };
    case 'media':
      return writeMedia(part, 'reply', losses);
    case 'native':
      if (part.format === formatName && isObject(part.value)) return part.value;
      losses.add('reply part', `is supported by ${part.format} only`);
      return undefined;
    case 'tool-result':
      losses.add('reply tool result', 'a reply has no place for it');
      return undefined;
  }
}
