/** The kinds of value a setting can have. Each says in words what it allows, because that sentence is the error message. */

import { isIP } from 'node:net';
import { z } from 'zod';
import { builtOnce } from './built-once.ts';

// Otherwise zod compiles a function for each object that it checks: a start checks each once, and no request checks any.
z.config({ jitless: true });

/** By what a person sets a value of the kind. */
type ValueControl =
  | { readonly kind: 'switch' }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'text' }
  | { readonly kind: 'list' };

const textControl: ValueControl = { kind: 'text' };

/** A kind of value: how text from a variable becomes it, what is accepted, and what to tell people. */
export interface ValueKind<T> {
  readonly schema: z.ZodType<T>;
  readonly allowed: string;
  readonly control: ValueControl;
  /** Text of an environment variable to the raw value that the schema checks. */
  readonly fromText: (text: string) => unknown;
}

/**
 * The schema is built when a value is first checked: most settings have their default, and to build the schemas of all
 * would be a tenth of a start.
 */
export function valueKind<T>(
  allowed: string,
  build: () => z.ZodType<T>,
  { control = textControl, fromText = asIs }: Partial<Pick<ValueKind<T>, 'control' | 'fromText'>> = {},
): ValueKind<T> {
  const schema = builtOnce(build);
  return {
    allowed,
    control,
    fromText,
    get schema() {
      return schema();
    },
  };
}

const asIs = (text: string): unknown => text;

export function integer(min: number, max: number): ValueKind<number> {
  const error = `a whole number from ${min} to ${max}`;
  return valueKind(error, () => z.number({ error }).int({ error }).min(min, { error }).max(max, { error }), {
    control: { kind: 'number', min, max },
    fromText: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  });
}

/** A share, from nothing to everything. */
export function ratio(): ValueKind<number> {
  const error = 'a number from 0 to 1';
  return valueKind(error, () => z.number({ error }).min(0, { error }).max(1, { error }), {
    fromText: (text) => (/^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text),
  });
}

/** A number, or `auto` for one that Weir chooses. */
export function integerOrAuto(min: number, max: number): ValueKind<number | 'auto'> {
  const whole = integer(min, max);
  const error = `a whole number from ${min} to ${max}, or auto`;
  return valueKind(error, () => z.union([z.literal('auto'), whole.schema], { error }), { fromText: whole.fromText });
}

/** An amount of money above 0 as decimal text, which no float has touched. */
export function dollars(): ValueKind<string> {
  const error = 'an amount in USD above 0, such as 5 or 0.25';
  return valueKind(error, () =>
    z
      .union([z.string({ error }), z.number({ error })], { error })
      .transform(String)
      .refine((value) => /^\d{1,9}(\.\d{1,9})?$/.test(value) && Number(value) > 0, { error }),
  );
}

export function boolean(): ValueKind<boolean> {
  const error = 'true or false';
  const words: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
  return valueKind(error, () => z.boolean({ error }), {
    control: { kind: 'switch' },
    fromText: (text) => (Object.hasOwn(words, text.toLowerCase()) ? words[text.toLowerCase()] : text),
  });
}

export function choice<const T extends readonly [string, ...string[]]>(of: T): ValueKind<T[number]> {
  const error = `one of ${of.join(', ')}`;
  return valueKind(error, () => z.enum(of, { error }), { control: { kind: 'choice', choices: of } });
}

export function text(minLength: number, allowed: string): ValueKind<string> {
  return valueKind(allowed, () => z.string({ error: allowed }).min(minLength, { error: allowed }));
}

/** Text for people to read: bounded, and without signs that would turn it around or hide in it. */
export function lines(lengthMax: number, linesMax = 200): ValueKind<string> {
  const most = linesMax === 1 ? 'one line' : `up to ${linesMax} lines`;
  const allowed = `plain text of 1 to ${lengthMax} characters, ${most}`;
  return valueKind(allowed, () =>
    z
      .string({ error: allowed })
      .transform((value) => value.replaceAll('\r\n', '\n').trim())
      .refine((value) => value !== '' && value.length <= lengthMax && !unprintable.test(value), { error: allowed })
      .refine((value) => value.split('\n').length <= linesMax, { error: allowed }),
  );
}

/** A JSON object as text. */
export function jsonObject(lengthMax: number): ValueKind<string> {
  const allowed = `a JSON object of up to ${lengthMax} characters`;
  const isObject = (value: string): boolean => {
    try {
      const tree: unknown = JSON.parse(value);
      return typeof tree === 'object' && tree !== null && !Array.isArray(tree);
    } catch {
      return false;
    }
  };
  return valueKind(allowed, () =>
    z.string({ error: allowed }).max(lengthMax, { error: allowed }).refine(isObject, { error: allowed }),
  );
}

/** Control characters but for the end of a line, broken surrogates, and marks that turn the direction of a line around. */
const unprintable = /[\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]|(?!\n)\p{Cc}/u;

export function url(schemes: readonly string[], allowed: string): ValueKind<string> {
  return valueKind(allowed, () =>
    z.string({ error: allowed }).refine((value) => schemes.includes(schemeOf(value)), { error: allowed }),
  );
}

/** An HTTP address as Weir uses it: a trailing slash is dropped, and what would be lost in requests is refused. */
export function httpAddress(allowed: string, accepts: (address: URL) => boolean = () => true): ValueKind<string> {
  return valueKind(allowed, () =>
    z
      .string({ error: allowed })
      .transform((value) => value.replace(/\/+$/, ''))
      .refine((value) => isPlainHttpAddress(value, accepts), { error: allowed }),
  );
}

/** An HTTP proxy; `host:port` alone is an address too, as the usual variables write it. */
export function proxyAddress(): ValueKind<string> {
  const allowed = 'the http or https URL of a proxy, without a path';
  return valueKind(allowed, () =>
    z
      .string({ error: allowed })
      .transform((value) => (value.includes('://') ? value : `http://${value}`).replace(/\/$/, ''))
      .refine(isProxyAddress, { error: allowed }),
  );
}

export function list(item: () => z.ZodType<string>, allowed: string): ValueKind<readonly string[]> {
  return valueKind(allowed, () => z.array(item(), { error: allowed }), { control: { kind: 'list' }, fromText: parts });
}

/** Of a text with commas between them. */
const parts = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `name=value`, several of them separated by commas; signs beyond that are percent-encoded, as in the W3C baggage header. */
export function pairs(allowed: string): ValueKind<string> {
  return valueKind(allowed, () =>
    z
      .string({ error: allowed })
      .refine((value) => /^\s*[^\s=,]+\s*=[^,]*(?:,\s*[^\s=,]+\s*=[^,]*)*$/.test(value), { error: allowed }),
  );
}

export function networks(): ValueKind<readonly string[]> {
  const allowed = 'a list of networks such as 10.0.0.0/8, 192.168.1.5 or fd00::/8';
  return list(() => z.string({ error: allowed }).refine(isNetwork, { error: allowed }), allowed);
}

export function names(allowed: string): ValueKind<readonly string[]> {
  return list(() => z.string({ error: allowed }).min(1, { error: allowed }), allowed);
}

function isPlainHttpAddress(value: string, accepts: (address: URL) => boolean): boolean {
  const parsed = URL.parse(value);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return false;
  const bare = parsed.username === '' && parsed.password === '' && parsed.search === '' && parsed.hash === '';
  return bare && !/[{}\s]/.test(value) && accepts(parsed);
}

function isProxyAddress(value: string): boolean {
  const parsed = URL.parse(value);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return false;
  return parsed.hostname !== '' && parsed.pathname === '/' && parsed.search === '' && parsed.hash === '';
}

function schemeOf(value: string): string {
  return URL.parse(value)?.protocol.replace(/:$/, '') ?? '';
}

function isNetwork(value: string): boolean {
  const [address = '', length, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128));
}
