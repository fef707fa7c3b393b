/** The prompt in the stored text of a video request: a field of JSON, or of a form written line by line. */

export function promptIn(request: string): string | undefined {
  try {
    const body = JSON.parse(request) as { prompt?: unknown } | null;
    const prompt = body?.prompt;
    return typeof prompt === 'string' && prompt !== '' ? prompt : undefined;
  } catch {
    return /^prompt: (.+)$/m.exec(request)?.[1];
  }
}
