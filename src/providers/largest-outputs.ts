/** The most tokens that a reply of a model family can have: what is reserved for a request that names no limit. https://models.dev (2026-07-02). */

/** The first row that matches counts. Where models of a family differ, its largest stands for it. */
const rows: readonly (readonly [family: RegExp, tokens: number])[] = [
  [/gpt-5-pro/, 272_000],
  [/gpt-5/, 128_000],
  [/gpt-oss/, 131_072],
  [/gpt-4\.1/, 32_768],
  [/gpt-4o/, 16_384],
  [/gpt-4-turbo|gpt-3\.5/, 4_096],
  [/gpt-4/, 8_192],
  [/(?:^|[/.])o[134](?:-|$)/, 100_000],
  [/claude-3-5/, 8_192],
  [/claude-3-(?:opus|sonnet|haiku)/, 4_096],
  // Some providers let these write more with a header of their own.
  [/claude/, 128_000],
  [/gemini-2\.0/, 8_192],
  [/gemini/, 65_536],
  [/deepseek/, 384_000],
  [/grok-build/, 256_000],
  [/grok/, 131_072],
  [/kimi/, 262_144],
  [/(?:mi|magi|dev|codes)(?:ni)?stral|mixtral/, 262_144],
  [/glm-/, 131_072],
  [/minimax/, 131_072],
  [/qwen/, 131_072],
  [/llama/, 131_072],
  [/command-/, 64_000],
  [/sonar/, 32_768],
];

/** Names come from clients too, so that there is no end of them. */
const rememberedMax = 2_000;
const remembered = new Map<string, number | undefined>();

/** Nothing where the family is not known. */
export function largestOutputOf(model: string): number | undefined {
  const known = remembered.get(model);
  if (known !== undefined || remembered.has(model)) return known;
  const name = model.toLowerCase();
  const tokens = rows.find(([family]) => family.test(name))?.[1];
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(model, tokens);
  return tokens;
}
