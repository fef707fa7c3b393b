/** The sandbox's law of tokens in live conversations: four characters are one, so is a tenth of a heard or a twentieth of a spoken second. */

import type { Tree } from '../../conversation/json-tree.ts';
import type { Content, Item } from './items.ts';
import type { SessionSettings } from './protocol/settings.ts';

const charactersPerToken = 4;
const heardTokensPerSecond = 10;
const spokenTokensPerSecond = 20;
const imageTokens = 85;
/** Lengths are sums of fractions; a millionth of a token too much is none. */
const tiny = 1e-6;

export function textTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

export function heardTokens(seconds: number): number {
  return Math.ceil(seconds * heardTokensPerSecond - tiny);
}

export function spokenTokens(seconds: number): number {
  return Math.ceil(seconds * spokenTokensPerSecond - tiny);
}

/** The characters that so many tokens have room for. */
export function charactersIn(tokens: number): number {
  return tokens * charactersPerToken;
}

interface Tokens {
  readonly text: number;
  readonly audio: number;
  readonly image: number;
}

/** One piece of a prompt. Equal keys at the beginning of two prompts mean that the second time it is read from a cache. */
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
  // What was cut short is another content under the same name.
  return { key: `${item.id} ${tokens.text} ${tokens.audio}`, ...tokens };
}

function tokensOf(content: Content): Tokens {
  switch (content.type) {
    case 'input_text':
    case 'output_text':
      return { text: textTokens(content.text.length), audio: 0, image: 0 };
    case 'input_audio':
      return { text: textTokens(content.words?.length ?? 0), audio: heardTokens(content.heard.seconds), image: 0 };
    case 'output_audio':
      // Of a history that was sent again only the words are there.
      return content.seconds === 0
        ? { text: textTokens(content.transcript?.length ?? 0), audio: 0, image: 0 }
        : { text: 0, audio: heardTokens(content.seconds), image: 0 };
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
