/** Output of a command: data on standard output, messages to people on standard error, and an exit code. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { ArgumentError } from './arguments.ts';

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const exitCodes = { done: 0, failed: 1, misused: 2 } as const;

export function printJson({ out }: Output, value: unknown): void {
  out(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Turns the mistakes that people make into a sentence and an exit code; a fault of the program passes through. */
export async function reportMistakes(output: Output, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof ArgumentError) {
      output.err(`${error.message}\n\n${error.usage}\n`);
      return exitCodes.misused;
    }
    if (error instanceof GatewayError) {
      output.err(`${inFlags(error)}\n`);
      return error.row.status < 500 && error.param !== '' && error.param !== 'id'
        ? exitCodes.misused
        : exitCodes.failed;
    }
    throw error;
  }
}

/** The admin interface names fields (`budgetUsd: …`); on the command line they are flags (`--budget-usd: …`). */
function inFlags({ message, param }: GatewayError): string {
  if (param === '' || param === 'id' || !message.startsWith(`${param}:`)) return message;
  const field = param.replace(/\[\d+\]$/, '');
  const flag = flagNames[field] ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${flag}${message.slice(param.length)}`;
}

const flagNames: Readonly<Record<string, string>> = {
  expiresAt: 'expires',
  overlapMs: 'overlap-minutes',
  labels: 'label',
  teamId: 'team',
};
