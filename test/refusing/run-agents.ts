/** Every agent on every refusing model, whole and streamed, through one Weir process. */

import { startWeir } from '../harness/weir.ts';
import type { Agent } from './agents/agent.ts';
import { chatAgents } from './agents/chat-agents.ts';
import { generateAgents } from './agents/generate-agents.ts';
import { messagesAgents } from './agents/messages-agents.ts';
import { responsesAgents } from './agents/responses-agents.ts';
import { type RefusingModel, refusingModels, yamlFor } from './models.ts';
import { type Refused, startRefusingProvider, toolRounds } from './refusing-provider.ts';
import { talk } from './talk.ts';

export const agents: readonly Agent[] = [...messagesAgents, ...responsesAgents, ...generateAgents, ...chatAgents];

export interface AgentCell {
  readonly agent: Agent;
  readonly model: RefusingModel;
  readonly stream: boolean;
  /** Absent where the agent reached its end. */
  readonly failure?: string;
}

export interface AgentRun {
  readonly cells: readonly AgentCell[];
  readonly refused: readonly Refused[];
  readonly requests: number;
}

const concurrentCells = 6;

/**
 * `only` is a part of a cell's name, to look at one corner; with `alternating`, an agent asks one model whole and the
 * next one streamed instead of each whole and streamed.
 */
export async function runAgents(only = '', alternating = false): Promise<AgentRun> {
  const provider = startRefusingProvider(undefined, toolRounds);
  const weir = await startWeir({ yaml: yamlFor(provider), holders: 'two' });
  try {
    const waiting = cellsOf(alternating).filter((cell) => cellName(cell).includes(only));
    const cells: AgentCell[] = [];
    const work = async (): Promise<void> => {
      for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
        const { agent, model, stream } = cell;
        try {
          await talk(agent, model[1], stream, weir, toolRounds);
          cells.push(cell);
        } catch (error) {
          cells.push({ ...cell, failure: error instanceof Error ? error.message : String(error) });
        }
      }
    };
    await Promise.all(Array.from({ length: concurrentCells }, work));
    return { cells, refused: provider.refused, requests: provider.requests() };
  } finally {
    await weir.remove();
    await provider.stop();
  }
}

export function cellName({ agent, model, stream }: AgentCell): string {
  return `${agent.name} → ${model[0]}/${model[1]}, ${stream ? 'stream' : 'whole'}`;
}

function cellsOf(alternating: boolean): AgentCell[] {
  return agents.flatMap((agent, row) =>
    refusingModels.flatMap((model, column) => {
      const streamed = alternating ? [(row + column) % 2 === 1] : [false, true];
      return streamed.map((stream): AgentCell => ({ agent, model, stream }));
    }),
  );
}
