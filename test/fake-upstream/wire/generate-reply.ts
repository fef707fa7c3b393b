/** The scripted content-generation provider; it names its calls by id only where there are several, as older models do not. */

import { readGenerate } from './generate-request.ts';
import { cut, type Said } from './issued.ts';
import { type Asked, providerKey, type WireProvider } from './provider.ts';
import { usage } from './scenes.ts';
import { must, type Seen } from './seen.ts';

const errorStates: ReadonlyMap<number, string> = new Map([
  [429, 'RESOURCE_EXHAUSTED'],
  [503, 'UNAVAILABLE'],
]);

export const generateProvider: WireProvider = {
  kind: 'gemini-generate',
  version: '/v1beta',
  callPrefix: 'fc-',
  sealPlace: 'call',
  takesStop: true,
  namesCalls: (count) => count > 1,
  route(path, headers): Asked | undefined {
    const match = /^\/v1beta\/models\/(.+):(generateContent|streamGenerateContent\?alt=sse)$/.exec(path);
    if (match === null) return undefined;
    must(headers.get('x-goog-api-key') === providerKey, 'x-goog-api-key: not the key');
    return { model: decodeURIComponent(match[1] ?? ''), stream: match[2] !== 'generateContent' };
  },
  read: readGenerate,
  whole(said, seen) {
    const parts = partsOf(said, seen).flat();
    return reply(said, mergedTexts(parts), finishOf(said));
  },
  frames(said, seen) {
    const groups = partsOf(said, seen);
    const frames = groups.map((parts, index) =>
      reply(said, parts, index === groups.length - 1 ? finishOf(said) : undefined),
    );
    if (groups.length === 0) frames.push(reply(said, [], finishOf(said)));
    return frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`);
  },
  errorBody(status, message) {
    return { error: { code: status, message, status: errorStates.get(status) ?? 'INVALID_ARGUMENT' } };
  },
  errorFrame: (message) => `data: ${JSON.stringify(generateProvider.errorBody(503, message))}\r\n\r\n`,
};

interface Part {
  readonly text?: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
  readonly functionCall?: object;
}

/** What each frame of a stream holds. */
function partsOf(said: Said, seen: Seen): Part[][] {
  const groups: Part[][] = [];
  if (seen.showsThoughts) for (const text of cut(said.thought ?? '', 20)) groups.push([{ text, thought: true }]);
  for (const text of said.pieces) groups.push([{ text }]);
  const calls = said.calls.map((call, index): Part => {
    const named = said.calls.length > 1 ? { id: call.id } : {};
    return {
      functionCall: { ...named, name: call.name, args: JSON.parse(call.arguments) },
      // Only the first of several calls is signed.
      ...(said.thought !== undefined && index === 0 && { thoughtSignature: said.seal }),
    };
  });
  if (calls.length > 0) groups.push(calls);
  return groups;
}

function mergedTexts(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.text !== undefined && last?.text !== undefined && last.thought === part.thought) {
      merged[merged.length - 1] = { ...last, text: last.text + part.text };
    } else merged.push(part);
  }
  return merged;
}

function reply(said: Said, parts: readonly Part[], finishReason: string | undefined) {
  const thinking = said.thought === undefined ? {} : { thoughtsTokenCount: usage.thinking };
  return {
    candidates: [
      {
        ...(parts.length > 0 && { content: { parts, role: 'model' } }),
        ...(finishReason !== undefined && { finishReason }),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output - (said.thought === undefined ? 0 : usage.thinking),
      totalTokenCount: usage.input + usage.output,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
      ...thinking,
    },
    modelVersion: said.model,
    ...(said.id !== '' && { responseId: said.id }),
  };
}

function finishOf(said: Said): string {
  return said.refusal === undefined ? 'STOP' : 'SAFETY';
}
