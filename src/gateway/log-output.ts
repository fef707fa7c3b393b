/** Where log lines go: standard error, or a file with rotation. */

import { LogFile } from '../observe/log-file.ts';

interface LogSettings {
  readonly file: string | undefined;
  readonly fileBytesMax: number;
  readonly filesMax: number;
}

export interface LogOutput {
  write(line: string): void;
  /** For programs that rename log files themselves. */
  reopen(): Promise<void>;
  flush(): Promise<void>;
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);
const nothingToDo = async (): Promise<void> => undefined;
export const standardError: LogOutput = { write: toStandardError, reopen: nothingToDo, flush: nothingToDo };

export function openLogOutput({ file, fileBytesMax, filesMax }: LogSettings): LogOutput {
  if (file === undefined) return standardError;
  return new LogFile({
    path: file,
    bytesMax: fileBytesMax,
    filesMax,
    fallback: toStandardError,
    nowMs: () => performance.now(),
  });
}
