/** Streams an answer: words one by one, speech in short pieces, a few times faster than real time. */

import { speechRateHz } from '../../audio/audio-encoder.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Part } from '../../conversation/parts.ts';
import { splitForSpeech } from '../speech/sentences.ts';
import { splitTokens } from '../tokens.ts';
import { encodeAudio } from './protocol/audio-format.ts';
import { ProtocolFault } from './protocol/faults.ts';
import { voiceName } from './protocol/read-settings.ts';
import type { ResponseWriter } from './response-writer.ts';
import { charactersIn, spokenTokens, textTokens } from './usage.ts';

export interface Voice {
  /** A sentence as samples at the common rate. */
  say(text: string, voice: string, speed: number): Promise<Int16Array>;
}

export interface Pace {
  /** Resolves after this delay and when the client accepts more. Rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly wordMs: number;
  /** How many seconds of speech are sent per second; 0 sends all at once. */
  readonly timesRealTime: number;
}

/** One piece of speech; divisible by the ratio to the G.711 rate. */
const pieceSamples = speechRateHz / 5;

/** Rejects only with internal faults: every other end of a response is an event. */
export async function streamAnswer(
  writer: ResponseWriter,
  parts: readonly Part[],
  voice: Voice,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const part of parts) {
      const whole = await streamPart(writer, part, voice, pace, signal);
      if (writer.over) return;
      if (!whole) {
        writer.end({ status: 'incomplete', reason: 'max_output_tokens' });
        return;
      }
      writer.closeItem('completed');
    }
    writer.end({ status: 'completed' });
  } catch (error) {
    if (writer.over || signal.aborted) return;
    if (!(error instanceof GatewayError || error instanceof ProtocolFault)) throw error;
    writer.end({ status: 'failed', code: error.code, message: error.message });
  }
}

/** False where the token limit was reached. */
async function streamPart(
  writer: ResponseWriter,
  part: Part,
  voice: Voice,
  pace: Pace,
  signal: AbortSignal,
): Promise<boolean> {
  if (part.type === 'tool-call') {
    writer.openCall(part.id, part.name);
    const room = roomFor(writer) - part.name.length;
    return streamWords(part.arguments, room, (delta) => writer.addArguments(delta), writer, pace, signal);
  }
  if (part.type !== 'text' && part.type !== 'refusal') return true;
  writer.openMessage();
  if (writer.settings.modality === 'audio') return speak(writer, part.text, voice, pace, signal);
  return streamWords(part.text, roomFor(writer), (delta) => writer.addText(delta), writer, pace, signal);
}

/** How many more characters the token limit allows. */
function roomFor(writer: ResponseWriter): number {
  const { outputTokensMax = Number.POSITIVE_INFINITY } = writer.settings;
  const { text, audio } = writer.tokens;
  return charactersIn(outputTokensMax - text - audio);
}

async function streamWords(
  text: string,
  room: number,
  say: (delta: string) => void,
  writer: ResponseWriter,
  pace: Pace,
  signal: AbortSignal,
): Promise<boolean> {
  let said = 0;
  for (const word of splitTokens(text)) {
    if (said + word.length > room) return false;
    await pace.wait(pace.wordMs, signal);
    if (writer.over) return true;
    say(word);
    said += word.length;
  }
  return true;
}

async function speak(
  writer: ResponseWriter,
  text: string,
  voice: Voice,
  pace: Pace,
  signal: AbortSignal,
): Promise<boolean> {
  const { output } = writer.settings;
  const name = voiceName(output.voice) ?? '';
  let before = '';
  for (const sentence of splitForSpeech(text)) {
    const speech = await voice.say(sentence, name, output.speed);
    if (writer.over) return true;
    if (!(await streamSentence(writer, before + sentence, speech, pace, signal))) return false;
    if (writer.over) return true;
    before = ' ';
  }
  return true;
}

/** Words are sent with their audio, so that an interrupted transcript ends about where the audio does. */
async function streamSentence(
  writer: ResponseWriter,
  sentence: string,
  speech: Int16Array,
  pace: Pace,
  signal: AbortSignal,
): Promise<boolean> {
  const { output, outputTokensMax = Number.POSITIVE_INFINITY } = writer.settings;
  let said = 0;
  for (let from = 0; from < speech.length; from += pieceSamples) {
    const to = Math.min(speech.length, from + pieceSamples);
    const seconds = (to - from) / speechRateHz;
    const words = sentence.slice(said, wordEnd(sentence, (sentence.length * to) / speech.length));
    const { text, audio } = writer.tokens;
    if (text + textTokens(words.length) + audio + spokenTokens(seconds) > outputTokensMax) return false;
    await pace.wait(pace.timesRealTime === 0 ? 0 : (seconds * 1_000) / pace.timesRealTime, signal);
    if (writer.over) return true;
    said += words.length;
    writer.addText(words);
    writer.addAudio(encodeAudio(speech, from, to, output.format), seconds);
  }
  return true;
}

/** A word is not split. */
function wordEnd(text: string, at: number): number {
  const space = text.indexOf(' ', Math.round(at));
  return space === -1 ? text.length : space;
}
