/** What the agents are run against: each target is a Weir with a configuration, the model that is named, and what its answer must hold. */

import { refusingModels, yamlFor } from '../refusing/models.ts';
import { answerText, startRefusingProvider } from '../refusing/refusing-provider.ts';

export interface AgentTarget {
  readonly name: string;
  readonly model: string;
  /** In an agent's output, after the question. */
  readonly answer: string;
  /** In a library's output, after its snippet said Hello; as JSON writes it, since curl shows that. */
  readonly greeting: string;
  /** Requests beyond those that an answer takes, where the provider calls a tool before it answers. */
  readonly requestsMore: number;
  /** Is it run where no target is named? */
  readonly usual: boolean;
  /** Starts the provider behind Weir. */
  start(): Promise<TargetBackground>;
}

export interface TargetBackground {
  readonly yaml?: object;
  /** What the provider refused, in its own words. */
  refusals(): readonly string[];
  stop(): Promise<void>;
}

const sandbox: AgentTarget = {
  name: 'sandbox',
  model: 'sandbox-chat',
  answer: '6 * 7 = 42',
  greeting: 'Your last message: ',
  requestsMore: 0,
  usual: true,
  start: async () => ({ refusals: () => [], stop: async () => {} }),
};

/** One for each wire format: chat, responses, messages and content generation. */
const usualModels: ReadonlySet<string> = new Set(['qwen3.8-27b', 'gpt-5.6-sol', 'claude-sonnet-4-5', 'gemini-2.5-pro']);

/** A tool is called and its result returned; an agent may send one more request of its own. */
export const toolRequests = 2;

function refusing(model: string): AgentTarget {
  return {
    name: model,
    model,
    answer: answerText,
    greeting: answerText,
    requestsMore: toolRequests,
    usual: usualModels.has(model),
    async start() {
      const provider = startRefusingProvider();
      return {
        yaml: yamlFor(provider),
        refusals: () => provider.refused.map(({ vendor, wire, message }) => `${vendor}, ${wire}: ${message}`),
        stop: () => provider.stop(),
      };
    },
  };
}

export const targets: readonly AgentTarget[] = [sandbox, ...refusingModels.map(([, model]) => refusing(model))];
