/** Records speech from the microphone and hands it over as a WAV file, which every model can read; browsers record in formats that few can. */

import { toPcm16, wavFile } from './samples.ts';

export interface Recording {
  /** What was said, or nothing where that was nothing. */
  stop(): Promise<Blob | undefined>;
  cancel(): void;
}

/** Speech needs no more. */
const rateHz = 16_000;

/** A microphone is only offered to secure pages. */
export function canRecord(): boolean {
  return navigator.mediaDevices?.getUserMedia !== undefined && typeof MediaRecorder !== 'undefined';
}

/** Fails where the person or the browser refuses. */
export async function startRecording(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  recorder.start();
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  return {
    async stop() {
      if (recorder.state !== 'inactive') recorder.stop();
      await stopped;
      release();
      const recorded = new Blob(pieces, { type: recorder.mimeType });
      return recorded.size === 0 ? undefined : asWav(recorded).catch(() => recorded);
    },
    cancel() {
      if (recorder.state !== 'inactive') recorder.stop();
      release();
    },
  };
}

/** All channels as one, at the rate of speech: the browser does both by itself where it is asked to draw the sound anew. */
async function asWav(recorded: Blob): Promise<Blob> {
  const reader = new OfflineAudioContext(1, 1, rateHz);
  const heard = await reader.decodeAudioData(await recorded.arrayBuffer());
  const drawn = new OfflineAudioContext(1, Math.max(1, Math.ceil(heard.duration * rateHz)), rateHz);
  const source = drawn.createBufferSource();
  source.buffer = heard;
  source.connect(drawn.destination);
  source.start();
  const mixed = await drawn.startRendering();
  return new Blob([wavFile(toPcm16(mixed.getChannelData(0)), rateHz)], { type: 'audio/wav' });
}
