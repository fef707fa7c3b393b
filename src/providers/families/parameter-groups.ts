/** What models refuse or read together. */

import type { Effort, Modality } from '../../conversation/model-profile.ts';

export const sampling = ['temperature', 'topP', 'topK'] as const;
export const penalties = ['presencePenalty', 'frequencyPenalty'] as const;
export const likelihoods = ['logprobs', 'logitBias'] as const;

export const text: readonly Modality[] = ['text'];
export const textAndImages: readonly Modality[] = ['text', 'image'];
export const documents: readonly Modality[] = ['text', 'image', 'pdf'];
export const films: readonly Modality[] = ['text', 'image', 'video'];
export const everything: readonly Modality[] = ['text', 'image', 'pdf', 'audio', 'video'];

export const lowToHigh: readonly Effort[] = ['low', 'medium', 'high'];
export const lowToMax: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
