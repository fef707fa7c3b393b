/**
 * Tools that only some formats support, in a form that all of them do: a function whose one argument is a text replaces
 * a tool that takes a text, and tools of a namespace are distinguished by their unique names alone.
 */

import type { Message, Part } from '../parts.ts';
import type { FreeformInput, TextRequest, ToolDeclaration } from '../text-request.ts';
import { argumentsOfInput, inputName } from './freeform-input.ts';

/** Which of them the target supports. */
interface KnownTools {
  readonly freeform: boolean;
  readonly namespaces: boolean;
}

/** The tools that only some formats support as they are, by name; undefined if there are none. */
export function specialTools(tools: readonly ToolDeclaration[]): ReadonlyMap<string, ToolDeclaration> | undefined {
  let special: Map<string, ToolDeclaration> | undefined;
  for (const tool of tools) {
    if (tool.freeform === undefined && tool.namespace === undefined && tool.searches === undefined) continue;
    special ??= new Map();
    special.set(tool.name, tool);
  }
  return special;
}

/** Returns the same request if the target supports everything in it. */
export function withKnownTools(request: TextRequest, { freeform, namespaces }: KnownTools): TextRequest {
  let { tools, messages } = request;
  if (!namespaces && tools.some((tool) => tool.namespace !== undefined)) tools = withGroupsDescribed(tools);
  if (!freeform) {
    if (tools.some((tool) => tool.freeform !== undefined)) tools = tools.map(asFunction);
    if (holdFreeformCalls(messages)) messages = messages.map(withFunctionCalls);
  }
  return tools === request.tools && messages === request.messages ? request : { ...request, tools, messages };
}

/** The description of a whole namespace is written with its first tool. */
function withGroupsDescribed(tools: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  const described = new Set<string>();
  return tools.map((tool) => {
    const { namespace } = tool;
    if (namespace?.description === undefined || namespace.description === '' || described.has(namespace.name))
      return tool;
    described.add(namespace.name);
    const about = `About all tools of \`${namespace.name}\`: ${namespace.description}`;
    return { ...tool, description: joined(tool.description, about) };
  });
}

function asFunction(tool: ToolDeclaration): ToolDeclaration {
  if (tool.freeform === undefined) return tool;
  const { freeform, ...rest } = tool;
  return {
    ...rest,
    description: joined(tool.description, describeInput(freeform)),
    parameters: {
      type: 'object',
      properties: { [inputName]: { type: 'string', description: 'The whole input of the tool as one text.' } },
      required: [inputName],
      additionalProperties: false,
    },
  };
}

function describeInput({ syntax, definition }: FreeformInput): string {
  const plain = `The tool takes plain text, as \`${inputName}\``;
  return definition === undefined
    ? `${plain}.`
    : `${plain}, which must follow this ${syntax ?? ''} grammar:\n${definition}`;
}

function joined(description: string | undefined, more: string): string {
  return description === undefined || description === '' ? more : `${description}\n\n${more}`;
}

/** Plain loops: every translated conversation is searched. */
function holdFreeformCalls(messages: readonly Message[]): boolean {
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue;
    for (const part of parts) if (isFreeformCall(part)) return true;
  }
  return false;
}

function isFreeformCall(part: Part): boolean {
  return part.type === 'tool-call' && part.freeform === true;
}

function withFunctionCalls(message: Message): Message {
  if (!message.parts.some(isFreeformCall)) return message;
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool-call' || part.freeform !== true) return part;
    const { freeform: _, ...call } = part;
    return { ...call, arguments: argumentsOfInput(part.arguments) };
  });
  return { ...message, parts };
}
