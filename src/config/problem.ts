/** A mistake in the configuration: the key, its place, what was found, what is allowed; never a secret. */

export interface Problem {
  /** The key as `weir.yaml` spells it, or the variable's name where no key belongs to it. */
  readonly key: string;
  /** The file's name or the variable's. */
  readonly source: string;
  /** In the file, from 1, where it is known. */
  readonly line?: number;
  readonly found: string;
  readonly allowed: string;
  /** The name that was probably meant. */
  readonly suggestion?: string;
}

export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map((problem) => `  ${describeProblem(problem)}`);
    super(
      `The configuration has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}:\n${lines.join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export function describeProblem(problem: Problem): string {
  const at = problem.line === undefined ? problem.source : `${problem.source}, line ${problem.line}`;
  const place = problem.key === problem.source ? problem.key : `${problem.key} (${at})`;
  const hint = problem.suggestion === undefined ? '' : `; did you mean ${problem.suggestion}?`;
  return `${place}: found ${problem.found}; allowed: ${problem.allowed}${hint}`;
}

export const hidden = '(hidden)';

/** The same problem with every known secret redacted, however it got into the text. */
export function withoutSecrets(problem: Problem, secrets: readonly string[]): Problem {
  return {
    ...problem,
    key: blotOut(problem.key, secrets),
    found: blotOut(problem.found, secrets),
    allowed: blotOut(problem.allowed, secrets),
  };
}

/** Very short values are not redacted: without every `a` the message would be unreadable. */
export function blotOut(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
}

/** A value as an error may show it. What looks like a credential is hidden even where none belongs. */
export function showFound(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string') return String(value);
  if (value === '') return 'an empty text';
  if (looksLikeCredential(value) || (value.includes('@') && URL.parse(value) === null)) return hidden;
  // Part of a URL: what comes before its host may be a password.
  if (/^[^\s/]+:[^\s/]*@/.test(value)) return hidden;
  const plain = withoutUrlSecrets(value);
  return JSON.stringify(plain.length > 80 ? `${plain.slice(0, 80)}…` : plain);
}

/** An address with its password, user and query blotted out; any other text as it is. */
export function withoutUrlSecrets(value: string): string {
  const parsed = URL.parse(value);
  if (parsed === null || !value.includes('://')) return value;
  const user = parsed.username === '' && parsed.password === '' ? '' : `${parsed.username}:***@`;
  const query = parsed.search === '' ? '' : '?***';
  return `${parsed.protocol}//${user}${parsed.host}${parsed.pathname}${query}`;
}

function looksLikeCredential(value: string): boolean {
  return value.length >= 16 && /^[\w.+=-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value);
}
