/** OpenAI realtime API: whether a client's frame ends a turn of speech. https://platform.openai.com/docs/api-reference/realtime-client-events (read 2026-11-19). */

import { typeAtHead } from './frame-scan.ts';

const commit = 'input_audio_buffer.commit';

export function commitsAudio(text: string): boolean {
  // Another order of its fields is possible, and rare.
  return typeAtHead(text) === commit || (text.length < 1_000 && text.includes(`"${commit}"`));
}
