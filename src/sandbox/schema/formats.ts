/** The string formats of JSON Schema: a pattern and samples. */

interface TextFormat {
  readonly pattern: RegExp;
  /** Different variants give different texts. */
  sample(variant: number): string;
}

const two = (value: number) => String(value).padStart(2, '0');
/** A fixed day, so that equal requests get equal replies. */
const date = (variant: number) =>
  `20${two(25 + (Math.floor(variant / 336) % 70))}-${two(1 + (Math.floor(variant / 28) % 12))}-${two(1 + (variant % 28))}`;
const hexadecimal = (variant: number, length: number) => variant.toString(16).padStart(length, '0').slice(-length);

const formats: Readonly<Record<string, TextFormat>> = {
  date: { pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, sample: date },
  'date-time': {
    pattern:
      /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/,
    sample: (variant) => `${date(variant)}T12:00:00Z`,
  },
  time: {
    pattern: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/,
    sample: (variant) => `12:${two(Math.floor(variant / 60) % 60)}:${two(variant % 60)}Z`,
  },
  duration: {
    pattern: /^P(?:\d{1,6}[YMWD]){0,3}(?:T(?:\d{1,6}[HMS]){1,3})?$/,
    sample: (variant) => `PT${variant + 1}H`,
  },
  email: {
    pattern: /^[\w.+-]{1,64}@[a-z\d](?:[a-z\d-]{0,61})(?:\.[a-z\d][a-z\d-]{0,61}){1,4}$/i,
    sample: (variant) => (variant === 0 ? 'someone@example.com' : `someone${variant}@example.com`),
  },
  hostname: {
    pattern: /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?){0,8}$/i,
    sample: (variant) => (variant === 0 ? 'example.com' : `host${variant}.example.com`),
  },
  ipv4: {
    pattern: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
    sample: (variant) => `192.0.2.${(variant % 254) + 1}`,
  },
  ipv6: { pattern: /^2001:db8::[\da-f]{1,4}$/, sample: (variant) => `2001:db8::${(variant + 1).toString(16)}` },
  uri: {
    pattern: /^[a-z][a-z\d+.-]{0,20}:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]{1,2000}$/i,
    sample: (variant) => `https://example.com/${variant === 0 ? '' : variant}`,
  },
  uuid: {
    pattern: /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i,
    sample: (variant) => `00000000-0000-4000-8000-${hexadecimal(variant + 1, 12)}`,
  },
};

const sameAs: Readonly<Record<string, string>> = {
  url: 'uri',
  'uri-reference': 'uri',
  iri: 'uri',
  'idn-email': 'email',
};

function find(name: string): TextFormat | undefined {
  const key = Object.hasOwn(sameAs, name) ? (sameAs[name] ?? name) : name;
  return Object.hasOwn(formats, key) ? formats[key] : undefined;
}

/** Any text fits an unknown format, as JSON Schema says. */
export function fitsFormat(name: string, text: string): boolean {
  const format = find(name);
  return format === undefined || (text.length <= 2_100 && format.pattern.test(text) && isRealDay(name, text));
}

/** No thirty-first of June. */
function isRealDay(name: string, text: string): boolean {
  if (name !== 'date' && name !== 'date-time') return true;
  const day = text.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
}

export function sampleFormat(name: string, variant: number): string | undefined {
  return find(name)?.sample(variant);
}
