/** Documents as resources, for people who choose some for their agent. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type { KnowledgeRetrieval } from '../client/client.ts';
import { READ_MAX } from './tools/read-document.ts';
import type { AgentConnection } from './tools/tool.ts';

/** Knowledge bases and documents that the list of resources shows. Tools list all. */
const SHOWN = { knowledgeBases: 10, documents: 20 };

/** The resource of a document. */
const resourceOf = (documentId: string): string => `knowledge://documents/${documentId}`;

/** The newest documents of the first knowledge bases: those that have a person to choose from them. */
async function listResources(client: KnowledgeRetrieval, signal: AbortSignal) {
  const { data } = await client.listKnowledgeBases({ limit: SHOWN.knowledgeBases }, { signal });
  const lists = await Promise.all(
    data.map(async ({ id, name }) => {
      const page = { knowledgeBaseId: id, status: 'processed' as const, limit: SHOWN.documents };
      const { data: documents } = await client.listDocuments(page, { signal });
      return documents.map(({ id: of, title }) => ({
        uri: resourceOf(of),
        name: title,
        title,
        description: `In the knowledge base ${name}`,
        mimeType: 'text/plain',
      }));
    }),
  );
  return { resources: lists.flat() };
}

/** Adds the documents to the server. */
export function addResources(server: McpServer, { client }: AgentConnection): void {
  const template = new ResourceTemplate(resourceOf('{documentId}'), {
    list: async ({ mcpReq: { signal } }) => await listResources(client, signal),
  });
  server.registerResource(
    'document',
    template,
    { title: 'Document', description: 'The text of a document.', mimeType: 'text/plain' },
    async (uri, { documentId: id }, { mcpReq: { signal } }) => {
      const wanted = { documentId: String(id), limit: READ_MAX };
      const { text, end, length } = await client.getDocumentContent(wanted, { signal });
      const rest = end < length ? `\n\n(${end} of ${length}; read_document returns the rest)` : '';
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: text + rest }] };
    },
  );
}
