/** The target of the client suite, and two functions that read the generated client's answers. */
import type { Client } from '../../../../generated/client/index.ts';
import type { ErrorCode } from '../../../../generated/types.gen.ts';

/** Refusals that depend on the caller or on earlier requests. Each target arranges them by itself. */
export type Arranged =
  | 'UNAUTHORIZED'
  | 'INSUFFICIENT_CREDITS'
  | 'STORAGE_LIMIT_EXCEEDED'
  | 'KNOWLEDGE_BASE_LIMIT_EXCEEDED'
  | 'KEY_NOT_PERMITTED'
  | 'FILE_NOT_UPLOADED';

/** A client, and a knowledge base of its account. */
export type Workspace = { client: Client; knowledgeBaseId: string };

export type Target = {
  client: Client;
  /** A workspace in which the next fitting operation is refused with this code. `fileId`: a file without bytes. */
  arrange(errorCode: Arranged): Promise<Workspace & { fileId?: string }>;
};

type Call<Body, Refusal> = Promise<{
  data?: Body | undefined;
  error?: Refusal | undefined;
  response?: Response;
}>;

/** The body of a success. @throws when the call is refused */
export async function succeed<Body>(call: Call<Body, unknown>): Promise<NonNullable<Body>> {
  const { data, error, response } = await call;
  if (data === undefined || data === null)
    throw new Error(`the call was refused with ${response?.status}: ${JSON.stringify(error)}`);
  return data;
}

/** Status and body of a refusal. @throws when the call succeeds */
export async function refusal<Refusal extends { errorCode: ErrorCode }>(call: Call<unknown, Refusal>) {
  const { data, error, response } = await call;
  if (error === undefined) throw new Error(`the call was not refused: ${JSON.stringify(data)}`);
  return { status: response?.status, ...error };
}
