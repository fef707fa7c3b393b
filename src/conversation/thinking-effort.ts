/** Some formats give the effort of thinking as a word, others in tokens; one table serves both directions. */

/** Each word, its budget, and the smallest budget that still maps to it. */
const steps: readonly { readonly effort: string; readonly budgetTokens: number; readonly fromTokens: number }[] = [
  { effort: 'max', budgetTokens: 65_536, fromTokens: 57_344 },
  { effort: 'xhigh', budgetTokens: 49_152, fromTokens: 40_960 },
  { effort: 'high', budgetTokens: 24_576, fromTokens: 16_384 },
  { effort: 'medium', budgetTokens: 8_192, fromTokens: 4_096 },
  { effort: 'low', budgetTokens: 1_024, fromTokens: 1_024 },
  { effort: 'minimal', budgetTokens: 512, fromTokens: 1 },
];

/** The word for a budget; nothing to spend is `none`. */
export function effortOfBudget(tokens: number): string {
  return steps.find((step) => tokens >= step.fromTokens)?.effort ?? 'none';
}

/** The budget for a word; undefined where the word is not one of the known ones. */
export function budgetOfEffort(effort: string): number | undefined {
  if (effort === 'none') return 0;
  return steps.find((step) => step.effort === effort)?.budgetTokens;
}
