/**
 * Every wire of speech and of transcripts behind a preset or a kind that has it: the suites over plain HTTP and over
 * the libraries call the same ones.
 */

import {
  cartesia,
  deepgram,
  elevenlabs,
  family,
  familySpeech,
  geminiSpeech,
  groq,
  mistral,
  spokenText,
  waveSpeech,
} from './audio-wires.ts';
import type { Row } from './bench.ts';
import { assemblyai, assemblyaiSync } from './transcript-jobs.ts';

export type AudioFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

export const speechWires: readonly [name: string, model: string, voice: string, formats: readonly AudioFormat[]][] = [
  ['family', 'gpt-4o-mini-tts', 'alloy', ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']],
  ['plain', 'kokoro', 'af_sky', ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']],
  ['elevenlabs', 'eleven_multilingual_v2', 'JBFqnCBsd6RMkjVDRZzb', ['mp3', 'opus', 'wav', 'pcm']],
  ['deepgram', 'aura-2', 'thalia', ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']],
  ['cartesia', 'sonic-3.5', '694f9389-aac1-45b6-b726-9d9369183238', ['mp3', 'wav', 'pcm']],
  ['gemini', 'gemini-2.5-flash-preview-tts', 'Kore', ['wav', 'pcm']],
  ['groq', 'canopylabs/orpheus-v1-english', 'austin', ['wav', 'pcm']],
];

export const speechRows: Readonly<Record<string, Row>> = {
  family: { kind: 'openai', base: '/v1', models: ['gpt-4o-mini-tts'], answer: familySpeech(true) },
  plain: { kind: 'openai-chat', base: '/v1', models: ['kokoro'], answer: familySpeech(false) },
  elevenlabs: { kind: 'elevenlabs', base: '/v1', models: ['eleven_multilingual_v2'], answer: elevenlabs },
  deepgram: { kind: 'deepgram', base: '/v1', models: ['aura-2'], answer: deepgram },
  cartesia: { kind: 'cartesia', base: '', models: ['sonic-3.5'], answer: cartesia },
  gemini: { kind: 'gemini', base: '/v1beta', models: ['gemini-2.5-flash-preview-tts'], answer: geminiSpeech },
  groq: { kind: 'groq', base: '/v1', models: ['canopylabs/orpheus-v1-english'], answer: waveSpeech },
};

/** 15 USD per 1M characters; one counts tokens. */
export const speechPrices = { 'gemini-*': { input: 1, output: 10 }, '*': { characters: 15 } };

/** What the one text that is spoken here costs. */
export function speechNano(name: string): bigint {
  return name === 'gemini' ? 8n * 1_000n + 50n * 10_000n : BigInt(spokenText.length) * 15_000n;
}

export const transcriptWires: readonly [name: string, model: string][] = [
  ['family', 'whisper-1'],
  ['groq', 'whisper-large-v3'],
  ['mistral', 'voxtral-mini-latest'],
  ['elevenlabs', 'scribe_v1'],
  ['deepgram', 'nova-3'],
  ['assemblyai', 'universal-3-5-pro'],
  ['clips', 'universal-clips'],
  ['cartesia', 'ink-whisper'],
];

/** Those that also translate. */
export const translationWires = transcriptWires.slice(0, 2);

export const transcriptRows: Readonly<Record<string, Row>> = {
  family: { kind: 'openai', base: '/v1', models: ['whisper-1', 'gpt-4o-transcribe'], answer: family },
  groq: { kind: 'groq', base: '/v1', models: ['whisper-large-v3'], answer: groq },
  mistral: { kind: 'mistral', base: '/v1', models: ['voxtral-mini-latest'], answer: mistral },
  elevenlabs: { kind: 'elevenlabs', base: '/v1', models: ['scribe_v1'], answer: elevenlabs },
  deepgram: { kind: 'deepgram', base: '/v1', models: ['nova-3'], answer: deepgram },
  assemblyai: { kind: 'assemblyai', base: '/v2', models: ['universal-3-5-pro'], answer: assemblyai() },
  clips: { kind: 'assemblyai-sync', base: '', models: ['universal-clips'], answer: assemblyaiSync },
  cartesia: { kind: 'cartesia', base: '', models: ['ink-whisper'], answer: cartesia },
};

/** 0.006 USD a minute; one model counts tokens. */
export const transcriptPrices = { 'gpt-4o-*': { input: 2, output: 10 }, '*': { minute: 0.006 } };
/** Three seconds. */
export const transcriptNano = 300_000n;
export const streamedTokensNano = 30n * 2_000n + 8n * 10_000n;

export const subRip =
  '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n00:00:01,500 --> 00:00:03,000\nGeneral weir.\n\n';
export const webVtt =
  'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n\n00:00:01.500 --> 00:00:03.000\nGeneral weir.\n\n';

/** They encode their audio from samples when all of it is there, so that nothing can be sent before. */
export function bringsSamples(name: string): boolean {
  return name === 'gemini' || name === 'groq';
}

/** What Weir writes of a provider's bare samples. */
export function encodedFor(name: string): readonly AudioFormat[] {
  if (bringsSamples(name)) return ['mp3', 'flac'];
  return name === 'elevenlabs' || name === 'cartesia' ? ['flac'] : [];
}
