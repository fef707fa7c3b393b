/** A process that sees another time of day: Debian's libfaketime, loaded before it. Its monotonic clock stays the machine's. */

import { writeFileSync } from 'node:fs';

/** A clock that differs from the machine's by what a file says, which may change while the process runs. */
export interface WrongClock {
  readonly env: Readonly<Record<string, string>>;
  set(offSeconds: number): void;
}

const library = (): string | undefined =>
  [...new Bun.Glob('/usr/lib/*/faketime/libfaketimeMT.so.1').scanSync({ onlyFiles: false })][0];

export function wrongClock(file: string, offSeconds: number): WrongClock {
  const preload = library();
  if (preload === undefined) throw new Error('libfaketime is not where Debian has it.');
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
  set(offSeconds);
  return {
    env: {
      LD_PRELOAD: preload,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_NO_CACHE: '1',
    },
    set,
  };
}
