/** What a tool is: its description for agents, and what it does with arguments that have been checked. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { type ArgumentSchema, createArgumentCheck } from '../arguments/check-arguments.ts';

/** The service as one agent reaches it. */
export type AgentConnection = {
  client: KnowledgeRetrieval;
  /** Whether the key may write. Otherwise agents do not see the tools that do. */
  canWrite: boolean;
  /** The address under which people open the service. */
  address: string;
};

/** What a call has: the connection, and the signal that aborts when its agent gives up. */
export type Call = AgentConnection & { signal: AbortSignal };

type Answer<Structured> = { structuredContent: Structured; content: { type: 'text'; text: string }[] };

export type Tool = {
  name: string;
  /** Whether it changes something. */
  writes: boolean;
  /** As agents read it. */
  listed: ListedTool;
  /** @throws a sentence for the model */
  run(given: unknown, call: Call): Promise<Answer<Record<string, unknown>>>;
};

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  /** What it does to what is stored; by default nothing. */
  writes?: { destructive: boolean; idempotent: boolean };
  run(args: z.output<Input>, call: Call): Promise<Answer<z.output<Output>>>;
};

/** Makes a tool. Its arguments are checked by `input`, whose object must be strict. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  name,
  title,
  description,
  input,
  output,
  writes,
  run,
}: Definition<Input, Output>): Tool {
  // Both are schemas of objects.
  const inputSchema = z.toJSONSchema(input, { io: 'input' }) as ListedTool['inputSchema'];
  const outputSchema = z.toJSONSchema(output, { io: 'output' }) as ListedTool['inputSchema'];
  const checked = z.toJSONSchema(input, { io: 'input', target: 'draft-7' }); // the dialect of Ajv
  const check = createArgumentCheck(name, checked as ArgumentSchema);
  const annotations = {
    readOnlyHint: writes === undefined,
    ...(writes && { destructiveHint: writes.destructive, idempotentHint: writes.idempotent }),
    openWorldHint: false,
  };
  return {
    name,
    writes: writes !== undefined,
    listed: { name, title, description, inputSchema, outputSchema, annotations },
    run: async (given, call) => await run(check(given) as z.output<Input>, call), // the schema is that of `input`
  };
}

/** The answer of a tool for programs, and as text for agents that read no structured content. */
export const answer = <Structured extends Record<string, unknown>>(
  structuredContent: Structured,
  text: string,
): Answer<Structured> => ({ structuredContent, content: [{ type: 'text', text }] });
