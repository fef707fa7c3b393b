/**
 * What providers add to a prompt of their own because it has tools: the body's length does not bound it.
 * https://docs.anthropic.com/en/docs/about-claude/pricing (read 2026-11-19).
 */

/** A prompt that explains the use of tools, whatever they are. */
const anyTools = 346;
/** For tools that the service describes itself, by the beginning of their type, and the prompt that goes with them. */
const described: readonly (readonly [RegExp, number])[] = [
  [/^bash/, 245],
  [/^text_editor/, 700],
  [/^computer/, 735 + 499],
];
/** More than any of those: what the service says of a tool that is not known here. */
const unknownTool = 2_000;

export function toolTokens(tools: unknown): number {
  if (!Array.isArray(tools) || tools.length === 0) return 0;
  let tokens = anyTools;
  for (const tool of tools) {
    const type: unknown = typeof tool === 'object' && tool !== null && 'type' in tool ? tool.type : undefined;
    if (typeof type !== 'string' || type === 'function' || type === 'custom') continue;
    tokens += described.find(([pattern]) => pattern.test(type))?.[1] ?? unknownTool;
  }
  return tokens;
}
