/** The only writer of log lines: levels, redaction and format are here, so that no other file can leak secrets. */

import { createScrubber, type Scrubber } from '../secrets/scrubber.ts';

type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type Details = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, details?: Details): void;
  info(message: string, details?: Details): void;
  warn(message: string, details?: Details): void;
  error(message: string, details?: Details): void;
}

/** Secrets can be added at run time: keys that people add in the console. */
export interface LearningLogger extends Logger {
  hide(secrets: readonly string[]): void;
}

/** A line as it was written: without secrets. */
export interface LogLine {
  readonly atMs: number;
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface LoggerOptions {
  /** Read for every line: the setting may change while Weir runs. */
  readonly level: Level;
  readonly format: 'text' | 'json';
  /** Values that never appear in a line: provider keys, passwords. Short ones would hit ordinary words. */
  readonly secrets: readonly string[];
  nowMs(): number;
  write(line: string): void;
  /** Gets every line that is written; absent where nothing exports them. */
  readonly onLine?: ((line: LogLine) => void) | undefined;
}

const order: readonly Level[] = ['debug', 'info', 'warn', 'error', 'silent'];
const secretLengthMin = 8;
const valueLengthMax = 2_000;
/** Longer texts are not searched: they are cut anyway. */
const searchedLengthMax = 16_384;
/** Keys are searched in every encoding. Passwords that people chose are not: their parts are ordinary words. */
const madeByMachine = /^(?=.*\d)(?=.*[A-Za-z])\S{20,}$/;
/** Gateway tokens, bearer credentials and keys in query strings, anywhere in a line. */
const ownToken: readonly [RegExp, string] = [/weir_[A-Za-z0-9]{8,}/g, 'weir_[token]'];
const credentialPatterns: readonly (readonly [RegExp, string])[] = [
  [/\bek_[A-Za-z0-9_-]{8,}/g, 'ek_[token]'],
  [/(insecure-api-key\.)[^\s"',;]+/gi, '$1[token]'],
  [/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, '$1[password]@'],
  [/(bearer\s+)[^\s"',;]+/gi, '$1[token]'],
  [/([?&](?:key|api_key|access_token)=)[^&\s"']+/gi, '$1[token]'],
];

/** What looks like a credential, known or not; Weir's own tokens look like its metrics' names up to their length. */
export function hideCredentials(text: string): string {
  return credentialPatterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

export function createLogger(options: LoggerOptions): LearningLogger {
  const secrets = new Set(options.secrets.filter((secret) => secret.length >= secretLengthMin));

  let scrub: Scrubber | undefined;

  const clean = (text: string): string => {
    let shown = text.slice(0, searchedLengthMax);
    for (const secret of secrets) if (shown.includes(secret)) shown = shown.replaceAll(secret, '[secret]');
    shown = hideCredentials(shown.replace(...ownToken));
    scrub ??= createScrubber([...secrets].filter((secret) => madeByMachine.test(secret)));
    shown = scrub(shown);
    if (shown.length > valueLengthMax) shown = `${shown.slice(0, valueLengthMax)}…`;
    return shown.replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, ' ');
  };

  const write = (level: Level, message: string, details: Details = {}): void => {
    if (order.indexOf(level) < order.indexOf(options.level)) return;
    const atMs = options.nowMs();
    const at = new Date(atMs).toISOString();
    const fields = Object.entries(details).map(([name, value]) => [name, clean(shown(value))] as const);
    if (options.onLine !== undefined) {
      options.onLine({ atMs, level, message: clean(message), fields: Object.fromEntries(fields) });
    }
    if (options.format === 'json') {
      options.write(JSON.stringify({ at, level, message: clean(message), ...Object.fromEntries(fields) }));
      return;
    }
    const rest = fields.map(([name, value]) => ` ${name}=${/\s/.test(value) ? JSON.stringify(value) : value}`).join('');
    options.write(`${at} ${level.padEnd(5)} ${clean(message)}${rest}`);
  };

  return {
    hide(more) {
      for (const secret of more) if (secret.length >= secretLengthMin) secrets.add(secret);
      scrub = undefined;
    },
    debug: (message, details) => write('debug', message, details),
    info: (message, details) => write('info', message, details),
    warn: (message, details) => write('warn', message, details),
    error: (message, details) => write('error', message, details),
  };
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error)
    return `${value.name}: ${value.message}${value.cause === undefined ? '' : ` (${shown(value.cause)})`}`;
  if (typeof value === 'object' && value !== null)
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
  return String(value);
}
