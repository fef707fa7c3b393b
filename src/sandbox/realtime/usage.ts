/** Token counts of realtime sessions: 4 characters, 100 ms of input audio or 50 ms of output audio are one token. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { Content, Item } from './items.ts';
import type { SessionSettings } from './protocol/settings.ts';

const charactersPerToken = 4;
const inputAudioTokensPerSecond = 10;
const spokenTokensPerSecond = 20;
const imageTokens = 85;
/** Tolerance for rounding errors. */
const tolerance = 1e-6;

export function textTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

export function inputAudioTokens(seconds: number): number {
  return Math.ceil(seconds * inputAudioTokensPerSecond - tolerance);
}

export function spokenTokens(seconds: number): number {
  return Math.ceil(seconds * spokenTokensPerSecond - tolerance);
}

/** The number of characters in so many tokens. */
export function charactersIn(tokens: number): number {
  return tokens * charactersPerToken;
}

interface Tokens {
  readonly text: number;
  readonly audio: number;
  readonly image: number;
}

/** A part of a prompt. Equal keys at the start of two prompts count as cached. */
interface PromptPiece extends Tokens {
  readonly key: string;
}

export type Prompt = readonly PromptPiece[];

export function promptOf(settings: SessionSettings, items: readonly Item[]): Prompt {
  const tools = settings.tools.length === 0 ? '' : JSON.stringify(settings.tools);
  const { instructions } = settings;
  const head = { text: textTokens(instructions.length) + textTokens(tools.length), audio: 0, image: 0 };
  return [{ key: `${instructions}\n${tools}`, ...head }, ...items.map(pieceOf)];
}

function pieceOf(item: Item): PromptPiece {
  if (item.type === 'function_call') {
    return { key: item.id, text: textTokens(item.name.length + item.arguments.length), audio: 0, image: 0 };
  }
  if (item.type === 'function_call_output') {
    return { key: item.id, text: textTokens(item.output.length), audio: 0, image: 0 };
  }
  const tokens = item.content.map(tokensOf).reduce(sum, { text: 0, audio: 0, image: 0 });
  // A truncated item has other content under the same id.
  return { key: `${item.id} ${tokens.text} ${tokens.audio}`, ...tokens };
}

function tokensOf(content: Content): Tokens {
  switch (content.type) {
    case 'input_text':
    case 'output_text':
      return { text: textTokens(content.text.length), audio: 0, image: 0 };
    case 'input_audio':
      return {
        text: textTokens(content.words?.length ?? 0),
        audio: inputAudioTokens(content.lengths.seconds),
        image: 0,
      };
    case 'output_audio':
      // A history that is sent again has only the words.
      return content.seconds === 0
        ? { text: textTokens(content.transcript?.length ?? 0), audio: 0, image: 0 }
        : { text: 0, audio: inputAudioTokens(content.seconds), image: 0 };
    case 'input_image':
      return { text: 0, audio: 0, image: imageTokens };
  }
}

function sum(one: Tokens, other: Tokens): Tokens {
  return { text: one.text + other.text, audio: one.audio + other.audio, image: one.image + other.image };
}

const nothing: Tokens = { text: 0, audio: 0, image: 0 };

export interface Output {
  readonly text: number;
  readonly audio: number;
}

export function writeUsage(prompt: Prompt, before: Prompt, output: Output): Tree {
  const parting = prompt.findIndex(({ key }, index) => before[index]?.key !== key);
  const cached = prompt.slice(0, parting === -1 ? prompt.length : parting).reduce(sum, nothing);
  const input = prompt.reduce<Tokens>(sum, nothing);
  const inputTokens = input.text + input.audio + input.image;
  const outputTokens = output.text + output.audio;
  return {
    total_tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    input_token_details: {
      text_tokens: input.text,
      audio_tokens: input.audio,
      image_tokens: input.image,
      cached_tokens: cached.text + cached.audio + cached.image,
      cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: cached.image },
    },
    output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
  };
}
