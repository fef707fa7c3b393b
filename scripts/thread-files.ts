/** The files that threads run. Nothing imports them, so each is an entry point of its own for the bundler. */
export const threadFiles: readonly string[] = [
  'src/store/engines/sqlite-worker.ts',
  'src/ledger/count-tokens-worker.ts',
  'src/prices/tables/table-worker.ts',
  'src/audio/encode-worker.ts',
  'src/sandbox/speech/speech-worker.ts',
  'src/sandbox/images/image-worker.ts',
  'src/sandbox/video/video-worker.ts',
];
