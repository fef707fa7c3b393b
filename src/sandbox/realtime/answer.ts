/** Says an answer as fast as a listener may get it: words one by one, speech in short pieces a few times faster than it is heard. */

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
  /** A sentence as samples at the rate of all speech here. */
  say(text: string, voice: string, speed: number): Promise<Int16Array>;
}

export interface Pace {
  /** Resolves when the other side takes more, after so long at least. Rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly wordMs: number;
  /** How many seconds of speech may be sent in one; 0 means all at once. */
  readonly timesRealTime: number;
}

/** One piece of speech; a multiple of what the telephone's rate divides. */
const pieceSamples = speechRateHz / 5;

/** Rejects only with what is wrong in here: the end of a response, whatever it is, is told by its events. */
export async function sayAnswer(
  writer: ResponseWriter,
  parts: readonly Part[],
  voice: Voice,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const part of parts) {
      const whole = await sayPart(writer, part, voice, pace, signal);
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

/** False where the limit of tokens cut it short. */
async function sayPart(
  writer: ResponseWriter,
  part: Part,
  voice: Voice,
  pace: Pace,
  signal: AbortSignal,
): Promise<boolean> {
  if (part.type === 'tool-call') {
    writer.openCall(part.id, part.name);
    const room = roomFor(writer) - part.name.length;
    return sayWords(part.arguments, room, (delta) => writer.addArguments(delta), writer, pace, signal);
  }
  if (part.type !== 'text' && part.type !== 'refusal') return true;
  writer.openMessage();
  if (writer.settings.modality === 'audio') return speak(writer, part.text, voice, pace, signal);
  return sayWords(part.text, roomFor(writer), (delta) => writer.addText(delta), writer, pace, signal);
}

/** How many more characters the limit of tokens allows. */
function roomFor(writer: ResponseWriter): number {
  const { outputTokensMax = Number.POSITIVE_INFINITY } = writer.settings;
  const { text, audio } = writer.tokens;
  return charactersIn(outputTokensMax - text - audio);
}

async function sayWords(
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
    if (!(await speakSentence(writer, before + sentence, speech, pace, signal))) return false;
    if (writer.over) return true;
    before = ' ';
  }
  return true;
}

/** The words come along with their sound, so that who is interrupted has said about what was heard. */
async function speakSentence(
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

/** A word that has begun is said whole. */
function wordEnd(text: string, at: number): number {
  const space = text.indexOf(' ', Math.round(at));
  return space === -1 ? text.length : space;
}
