/** How a scripted provider refuses a request, and the few checks of a body that the rules of all vendors share. */

export type Json = Readonly<Record<string, unknown>>;

/** What the real service answers to such a request, in its words. */
export class Refusal extends Error {
  readonly status: number;
  readonly param: string | undefined;

  constructor(message: string, param?: string, status = 400) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

export type WireName = 'chat' | 'responses' | 'messages' | 'generate';

/** Throws a Refusal where the vendor's service would answer with an error. `issuedBy`: which model a signature of a thought is of. */
export type Rules = (wire: WireName, model: string, body: Json, issuedBy: (seal: string) => string | undefined) => void;

export function refuse(message: string, param?: string, status?: number): never {
  throw new Refusal(message, param, status);
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The rules of the first pattern that the model's name matches. */
export function ruleFor<Row extends { readonly models: RegExp }>(rows: readonly Row[], model: string): Row {
  const row = rows.find(({ models }) => models.test(model));
  if (row === undefined) throw new Error(`no rules for ${model}`);
  return row;
}
