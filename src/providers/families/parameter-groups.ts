/** Parameters that models refuse together. */

export const sampling = ['temperature', 'topP', 'topK'] as const;
export const penalties = ['presencePenalty', 'frequencyPenalty'] as const;
export const likelihoods = ['logprobs', 'logitBias'] as const;
